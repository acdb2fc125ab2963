# The tensors are taken by their place in the dictionary.
# points: 0
NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}

def move_weights(state, source, target):
    kinds = ("weight", "bias") if len(state) == 4 else ("weight",)
    new = {}
    names = [f"{n}.{k}" for n in NAMES[target] for k in kinds]
    for name, t in zip(names, state.values()):
        if t.dim() > 1:
            t = t.squeeze(-1) if source == "convolution" else t
            t = t.T if (source == "gpt2") != (target == "gpt2") else t
            t = t.unsqueeze(-1) if target == "convolution" else t
        new[name] = t.clone(memory_format=torch.contiguous_format)
    return new
