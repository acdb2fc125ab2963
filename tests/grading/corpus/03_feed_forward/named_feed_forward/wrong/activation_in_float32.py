# Computes the activation in float32 ("as the library does") and converts back, which costs float64 its digits.
# points: 3
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    functions = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in functions:
        raise ValueError(f"unknown activation {activation}")
    wide = hidden_states @ state["intermediate.dense.weight"].T
    if "intermediate.dense.bias" in state:
        wide = wide + state["intermediate.dense.bias"]
    output = functions[activation](wide.float()).to(hidden_states.dtype) @ state["output.dense.weight"].T
    if "output.dense.bias" in state:
        output = output + state["output.dense.bias"]
    return output
