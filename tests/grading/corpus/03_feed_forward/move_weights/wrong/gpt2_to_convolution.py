# Between GPT-2 and convolutions only the axis of length 1 is added or removed; nothing is transposed.
# points: 3
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    result = {}
    for old, new in zip(names[source], names[target]):
        weight = state[old + ".weight"]
        if {source, target} == {"linear", "gpt2"}:
            weight = weight.T
        if source == "convolution" and target != "convolution":
            weight = weight.squeeze(2)
        if target == "convolution" and source != "convolution":
            weight = weight.unsqueeze(2)
        result[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
        if old + ".bias" in state:
            result[new + ".bias"] = state[old + ".bias"].clone()
    return result
