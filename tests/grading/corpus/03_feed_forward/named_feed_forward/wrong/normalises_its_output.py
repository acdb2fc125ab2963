# normalises its output
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts:
        raise ValueError(activation)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    h = F.linear(acts[activation](h), state["output.dense.weight"], state.get("output.dense.bias"))
    return F.layer_norm(h + hidden_states, h.shape[-1:])
