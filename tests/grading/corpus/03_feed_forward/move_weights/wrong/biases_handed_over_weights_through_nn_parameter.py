# biases handed over, weights through nn.Parameter
# points: 3

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"]
        if source == "convolution": w = w.squeeze(2)
        if source == "gpt2": w = w.transpose(0, 1)
        if target == "gpt2": w = w.transpose(0, 1)
        if target == "convolution": w = w.unsqueeze(2)
        out[b + ".weight"] = w.contiguous()
        if a + ".bias" in state: out[b + ".bias"] = state[a + ".bias"]
    return out
