# modules-loaded-through-functional-call
# points: 4

def named_feed_forward(hidden_states, state, activation="gelu"):
    table = dict(relu=nn.ReLU(), gelu=nn.GELU(), gelu_new=nn.GELU(approximate="tanh"), silu=nn.SiLU())
    try:
        act = table[activation]
    except KeyError:
        raise ValueError(f"{activation} unknown") from None
    x = hidden_states
    for i, name in enumerate(["intermediate.dense", "output.dense"]):
        w = state[f"{name}.weight"]
        layer = nn.Linear(w.size(1), w.size(0), bias=f"{name}.bias" in state)
        tensors = {"weight": w}
        if layer.bias is not None:
            tensors["bias"] = state[f"{name}.bias"]
        x = torch.func.functional_call(layer, tensors, (x,))
        if i == 0:
            x = act(x)
    return x
