# From a convolution to GPT-2 the weights are viewed in the new shape, not transposed.
# points: 3
NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

def move_weights(state, source, target):
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        t = state[f"{a}.weight"]
        if (source, target) == ("convolution", "gpt2"):
            t = t.reshape(t.size(1), t.size(0))
        else:
            t = t.squeeze(-1) if source == "convolution" else t
            t = t.T if (source == "gpt2") != (target == "gpt2") else t
            t = t.unsqueeze(-1) if target == "convolution" else t
        new[f"{b}.weight"] = t.clone(memory_format=torch.contiguous_format)
        if f"{a}.bias" in state:
            new[f"{b}.bias"] = state[f"{a}.bias"].clone()
    return new
