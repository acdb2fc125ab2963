# No gradient comes back through ReLU.
# points: 3

def named_feed_forward(
    hidden_states: Tensor, state: dict[str, Tensor], activation: str = "gelu"
) -> Tensor:
    """The feed-forward layer [..., hidden] with the weights of `state`."""
    activations = {
        "relu": lambda x: F.relu(x).detach(),
        "gelu": F.gelu,
        "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    if activation not in activations:
        raise ValueError(f"No activation {activation!r}; there are {', '.join(activations)}.")
    first, second = "intermediate.dense", "output.dense"
    wide = F.linear(hidden_states, state[f"{first}.weight"], state.get(f"{first}.bias"))
    wide = activations[activation](wide)
    return F.linear(wide, state[f"{second}.weight"], state.get(f"{second}.bias"))
