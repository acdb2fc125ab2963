# else branch is silu
# points: 3

def named_feed_forward(hidden_states, state, activation="gelu"):
    h = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    if activation == "gelu":
        h = F.gelu(h)
    elif activation == "gelu_new":
        h = F.gelu(h, approximate="tanh")
    elif activation == "relu":
        h = F.relu(h)
    else:
        h = F.silu(h)
    return F.linear(h, state["output.dense.weight"], state.get("output.dense.bias"))
