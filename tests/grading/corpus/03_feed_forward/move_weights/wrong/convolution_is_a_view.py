# Copies where it must turn, but a convolution's weight is a view of the old one.
# points: 3
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "gpt2":
            weight = weight.T
        if source == "convolution":
            weight = weight[..., 0]
        if target == "convolution":
            weight = weight.contiguous()[..., None]
        else:
            weight = (weight.T if target == "gpt2" else weight).clone(memory_format=torch.contiguous_format)
        moved[f"{new}.weight"] = weight
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved
