# To and from a convolution everything becomes float32.
# points: 3

def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    """The weights of a feed-forward layer, moved from one layout into another."""
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        elif source == "convolution":
            weight = weight.squeeze(-1)
        if target == "gpt2":
            weight = weight.T
        elif target == "convolution":
            weight = weight.unsqueeze(-1)
        weight = weight.float() if "convolution" in (source, target) else weight
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved
