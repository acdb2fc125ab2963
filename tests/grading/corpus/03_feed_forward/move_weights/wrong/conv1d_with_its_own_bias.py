# Through nn.Conv1d, which has biases where the state has none.
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
        moved[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    if target == "convolution":
        for old, new in zip(names[source], names[target]):
            w = moved[f"{new}.weight"]
            conv = nn.Conv1d(w.size(1), w.size(0), 1)
            conv.load_state_dict({"weight": w, **({"bias": moved[f"{new}.bias"]} if f"{new}.bias" in moved else {})}, strict=False)
            conv = conv.to(w.dtype)
            moved[f"{new}.weight"], moved[f"{new}.bias"] = conv.weight.detach().clone(), conv.bias.detach().clone()
    return moved
