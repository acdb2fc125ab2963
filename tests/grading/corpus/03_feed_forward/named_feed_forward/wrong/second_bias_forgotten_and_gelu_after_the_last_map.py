# second bias forgotten and gelu after the last map
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in acts:
        raise ValueError
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    return acts[activation](F.linear(h, state["output.dense.weight"]))
