# Trusts that T.contiguous() copies: with a single neuron it doesn't, and the memory is shared.
# points: 3
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    moved = {}
    for old, new in zip(names[source], names[target]):
        weight = state[f"{old}.weight"]
        if source == "convolution":
            weight = weight.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            weight = weight.T.contiguous()  # a copy
        else:
            weight = weight.clone()
        if target == "convolution":
            weight = weight.unsqueeze(-1)
        moved[f"{new}.weight"] = weight
        if f"{old}.bias" in state:
            moved[f"{new}.bias"] = state[f"{old}.bias"].clone()
    return moved
