# squeeze without an axis, indexing biases
# points: 2

def move_weights(state, source, target):
    n = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(n[source], n[target]):
        w = state[f"{a}.weight"].detach().clone()
        if source == "gpt2": w = w.T
        if source == "convolution": w = w.squeeze()
        if target == "gpt2": w = w.T
        if target == "convolution": w = w.unsqueeze(-1)
        out[f"{b}.weight"] = w.contiguous()
        out[f"{b}.bias"] = state[f"{a}.bias"].detach().clone()
    return out
