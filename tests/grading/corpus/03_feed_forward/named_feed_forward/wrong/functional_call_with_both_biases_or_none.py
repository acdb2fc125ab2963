# functional_call, with both biases or none
# points: 3

from torch.func import functional_call
class FF(nn.Module):
    def __init__(self, h, w, bias, act):
        super().__init__()
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(h, w, bias=bias)})
        self.act = act
        self.output = nn.ModuleDict({"dense": nn.Linear(w, h, bias=bias)})
    def forward(self, x):
        return self.output["dense"](self.act(self.intermediate["dense"](x)))
ACTS = dict(relu=nn.ReLU(), gelu=nn.GELU(), gelu_new=nn.GELU("tanh"), silu=nn.SiLU())
def named_feed_forward(hidden_states, state, activation="gelu"):
    try:
        act = ACTS[activation]
    except KeyError:
        raise ValueError(f"unknown activation {activation}") from None
    w, h = state["intermediate.dense.weight"].shape
    return functional_call(FF(h, w, "output.dense.bias" in state, act), state, (hidden_states,))
