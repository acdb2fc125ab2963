# in-place relu on the input
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu_, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError(activation)
    hidden_states = acts[activation](hidden_states)
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))
