# keys without dense
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts: raise ValueError
    h = acts[activation](F.linear(hidden_states, state["intermediate.weight"], state.get("intermediate.bias")))
    return F.linear(h, state["output.weight"], state.get("output.bias"))
