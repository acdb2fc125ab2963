# modules with functional_call
# points: 4

def named_feed_forward(hidden_states, state, activation="gelu"):
    try:
        act = {"relu": nn.ReLU(), "gelu": nn.GELU(), "gelu_new": nn.GELU("tanh"), "silu": nn.SiLU()}[activation]
    except KeyError:
        raise ValueError("unknown activation") from None
    w1, w2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b1, b2 = state.get("intermediate.dense.bias", torch.zeros_like(w1[:, 0])), state.get("output.dense.bias", torch.zeros_like(w2[:, 0]))
    return act(hidden_states @ w1.T + b1) @ w2.T + b2
