# gpt2-to-gpt2-transposes-once
# points: 3

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    result = {}
    for i in range(2):
        a = names[source][i]
        b = names[target][i]
        w = state[a + ".weight"]
        if source == "gpt2":
            w = w.t()
        if source == "convolution":
            w = w[:, :, 0]
        if target == "gpt2" and source != "gpt2":
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(2)
        result[b + ".weight"] = w.contiguous().clone()
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"].clone()
    return result
