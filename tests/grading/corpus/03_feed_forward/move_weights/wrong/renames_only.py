# renames only
# points: 0

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, value in state.items():
        for a, b in zip(names[source], names[target]):
            if key.startswith(a):
                out[key.replace(a, b)] = value.clone()
    return out
