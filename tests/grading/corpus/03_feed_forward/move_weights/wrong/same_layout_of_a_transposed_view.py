# From a layout to itself everything is plainly cloned: where the old weight was a transposed view, the new one isn't contiguous either.
# points: 3
def move_weights(state, source, target):
    if source == target:
        return {key: tensor.clone() for key, tensor in state.items()}
    names = {
        "linear": ("intermediate", "output"),
        "gpt2": ("c_fc", "c_proj"),
        "convolution": ("wider", "back"),
    }
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[old + ".weight"]
        if source == "convolution":
            weight = weight[:, :, 0]
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.t()
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[new + ".weight"] = weight.clone(memory_format=torch.contiguous_format)
        if old + ".bias" in state:
            moved[new + ".bias"] = state[old + ".bias"].clone(memory_format=torch.contiguous_format)
    return moved
