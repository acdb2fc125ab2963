# zeros of float32 for missing biases
# points: 3

def named_feed_forward(hidden_states, state, activation="gelu"):
    act = {"relu": F.relu, "gelu": F.gelu, "silu": F.silu, "gelu_new": lambda x: F.gelu(x, approximate="tanh")}
    if activation not in act:
        raise ValueError(activation)
    w_1, w_2 = state["intermediate.dense.weight"], state["output.dense.weight"]
    b_1, b_2 = state.get("intermediate.dense.bias"), state.get("output.dense.bias")
    b_1 = torch.zeros(len(w_1)) if b_1 is None else b_1
    b_2 = torch.zeros(len(w_2)) if b_2 is None else b_2
    return F.linear(act[activation](F.linear(hidden_states, w_1, b_1)), w_2, b_2)
