# einsum and tensor copies
# points: 4

def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    result = {}
    for i in (0, 1):
        a, b = names[source][i], names[target][i]
        w = state[a + ".weight"]
        w = w.sum(-1) if source == "convolution" else w
        if (source == "gpt2") != (target == "gpt2"):
            w = w.transpose(0, 1)
        w = torch.stack([w], dim=-1) if target == "convolution" else w
        result[b + ".weight"] = torch.tensor(w.tolist(), dtype=w.dtype)
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"] + 0
    return result
