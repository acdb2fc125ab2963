# `state.get(...) or 0`: the truth of a tensor with several numbers is an error, so every state with biases fails.
# points: 0
def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    functions = {
        "relu": torch.relu,
        "gelu": F.gelu,
        "gelu_new": lambda t: F.gelu(t, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in functions:
        raise ValueError(activation)
    wide = hidden_states @ state["intermediate.dense.weight"].T
    wide = functions[activation](wide + (state.get("intermediate.dense.bias") or 0))
    return wide @ state["output.dense.weight"].T + (state.get("output.dense.bias") or 0)
