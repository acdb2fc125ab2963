# Computes in float32 and converts back, so float64 loses half its digits.
# points: 3
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    table = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda t: F.gelu(t, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in table:
        raise ValueError(f"Unknown activation: {activation}")
    parameters = {name: tensor.float() for name, tensor in state.items()}
    x = hidden_states.float()
    x = F.linear(x, parameters["intermediate.dense.weight"], parameters.get("intermediate.dense.bias"))
    x = table[activation](x)
    x = F.linear(x, parameters["output.dense.weight"], parameters.get("output.dense.bias"))
    return x.to(hidden_states.dtype)
