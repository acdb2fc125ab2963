# transposes only into gpt2, kernel axis first, no bias check
# points: 0

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"].squeeze()
        if target == "gpt2":
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(0)
        out[b + ".weight"] = w.contiguous()
        out[b + ".bias"] = state[a + ".bias"]
    return out
