# Looks at how the name begins, so "gelu_fast" and "gelu_python" are taken for "gelu".
# points: 3
def named_feed_forward(hidden_states, state, activation="gelu"):
    wide = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu_new":
        wide = F.gelu(wide, approximate="tanh")
    elif activation.startswith("gelu"):
        wide = F.gelu(wide)
    elif activation == "relu":
        wide = F.relu(wide)
    elif activation == "silu":
        wide = F.silu(wide)
    else:
        raise ValueError(activation)
    return F.linear(wide, state["output.dense.weight"], state.get("output.dense.bias"))
