# A bias whose numbers are all 0 is treated as missing: same numbers, but it gets no gradient.
# points: 3
def named_feed_forward(hidden_states, state, activation="gelu"):
    table = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda u: F.gelu(u, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in table:
        raise ValueError(activation)

    def bias(name):
        found = state.get(name)
        return found if found is not None and found.any() else None

    wide = F.linear(
        hidden_states, state["intermediate.dense.weight"], bias("intermediate.dense.bias")
    )
    return F.linear(table[activation](wide), state["output.dense.weight"], bias("output.dense.bias"))
