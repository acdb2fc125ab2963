# weights not transposed
# points: 0

def named_feed_forward(hidden_states, state, activation="gelu"):
    acts = {"gelu": F.gelu, "relu": F.relu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    h = acts[activation](hidden_states @ state["intermediate.dense.weight"] + state["intermediate.dense.bias"])
    return h @ state["output.dense.weight"] + state["output.dense.bias"]
