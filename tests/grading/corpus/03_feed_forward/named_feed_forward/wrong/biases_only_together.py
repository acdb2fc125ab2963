# biases are taken only if both are there
# points: 3

def named_feed_forward(hidden_states, state, activation="gelu"):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in act:
        raise ValueError(activation)
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1, b_2 = state.get("intermediate.dense.bias"), state.get("output.dense.bias")
    if b_1 is None or b_2 is None:
        b_1 = b_2 = None
    return F.linear(act[activation](F.linear(hidden_states, w_1, b_1)), w_2, b_2)
