# From convolution to convolution the weights are cloned with their strides, so a view that is not contiguous stays so.
# points: 3
NAMES = {
    "linear": ("intermediate", "output"),
    "gpt2": ("c_fc", "c_proj"),
    "convolution": ("wider", "back"),
}


def move_weights(state, source, target):
    if source == target == "convolution":
        return {name: tensor.clone() for name, tensor in state.items()}
    result = {}
    for old, new in zip(NAMES[source], NAMES[target]):
        weight = state[old + ".weight"]
        if source == "convolution":
            weight = weight.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.t()
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        result[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
        if old + ".bias" in state:
            bias = state[old + ".bias"]
            result[new + ".bias"] = bias.clone(memory_format=torch.contiguous_format)
    return result
