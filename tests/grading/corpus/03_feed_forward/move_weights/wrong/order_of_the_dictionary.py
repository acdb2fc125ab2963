# Trusts the order of the dictionary: first weight, first bias, second weight, second bias.
# points: 0
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    kinds = ("weight", "bias") if len(state) == 4 else ("weight",)
    keys = [f"{name}.{kind}" for name in names[target] for kind in kinds]
    result = {}
    for key, tensor in zip(keys, state.values()):
        if key.endswith("weight"):
            if source == "convolution":
                tensor = tensor.squeeze(-1)
            if (source == "gpt2") != (target == "gpt2"):
                tensor = tensor.T
            if target == "convolution":
                tensor = tensor.unsqueeze(-1)
        result[key] = tensor.clone(memory_format=torch.contiguous_format)
    return result
