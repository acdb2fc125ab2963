# All tokens are put in rows, and a single row is returned as [hidden] even where the input was [1, hidden] or [1, 1, hidden].
# points: 0
def named_feed_forward(hidden_states, state, activation="gelu"):
    table = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda u: F.gelu(u, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in table:
        raise ValueError(activation)
    rows = hidden_states.reshape(-1, hidden_states.shape[-1])
    wide = F.linear(rows, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    result = F.linear(
        table[activation](wide), state["output.dense.weight"], state.get("output.dense.bias")
    )
    if len(result) == 1:
        return result[0]
    return result.reshape(hidden_states.shape)
