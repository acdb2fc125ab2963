# reshape to the target's shape
# points: 0

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for a, b in zip(names[source], names[target]):
        w = state[a + ".weight"].clone()
        o, i = (w.shape[1], w.shape[0]) if source == "gpt2" else (w.shape[0], w.shape[1])
        shape = {"linear": (o, i), "gpt2": (i, o), "convolution": (o, i, 1)}[target]
        out[b + ".weight"] = w.reshape(shape)
        if a + ".bias" in state: out[b + ".bias"] = state[a + ".bias"].clone()
    return out
