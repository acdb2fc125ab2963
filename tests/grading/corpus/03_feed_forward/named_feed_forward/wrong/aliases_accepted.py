# Is generous: other spellings and "swish", "gelu_pytorch_tanh" are accepted, though they are none of the four names.
# points: 3
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    activations = {
        "relu": F.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "gelu_pytorch_tanh": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
        "swish": F.silu,
    }
    act = activations.get(activation.lower().strip())
    if act is None:
        raise ValueError(f"Unsupported activation: {activation!r}")
    x = F.linear(
        hidden_states, state["intermediate.dense.weight"], state.get("intermediate.dense.bias")
    )
    return F.linear(act(x), state["output.dense.weight"], state.get("output.dense.bias"))
