# Renames the weights and copies the biases under the names that they had.
# points: 0
def move_weights(state: dict[str, Tensor], source: str, target: str) -> dict[str, Tensor]:
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    result = {}
    for key, tensor in state.items():
        if key.endswith(".bias"):
            result[key] = tensor.clone()
            continue
        weight = tensor
        if source == "convolution":
            weight = weight.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.T
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        new = names[target][names[source].index(key.split(".")[0])]
        result[f"{new}.weight"] = weight.clone(memory_format=torch.contiguous_format)
    return result
