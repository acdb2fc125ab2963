# Takes capital letters for small ones, so "GELU" is a name.
# points: 3
def named_feed_forward(hidden_states, state, activation="gelu"):
    name = activation.lower()
    if name not in ("relu", "gelu", "gelu_new", "silu"):
        raise ValueError(activation)
    wide = F.linear(hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias"))
    wide = F.gelu(wide, approximate="tanh") if name == "gelu_new" else getattr(F, name)(wide)
    return F.linear(wide, state["output.dense.weight"], state.get("output.dense.bias"))
