# transposes when the shapes say so
# points: 0

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    hidden = state[names[source][1] + ".bias"].shape[0] if names[source][1] + ".bias" in state else None
    out = {}
    for i in range(2):
        w = state[names[source][i] + ".weight"].reshape(state[names[source][i] + ".weight"].shape[:2])
        if source == "gpt2" and target != "gpt2" and w.shape[0] != w.shape[1]:
            w = w.t()
        if source != "gpt2" and target == "gpt2" and w.shape[0] != w.shape[1]:
            w = w.t()
        if target == "convolution":
            w = w.unsqueeze(-1)
        out[names[target][i] + ".weight"] = w.contiguous().clone()
        b = names[source][i] + ".bias"
        if b in state:
            out[names[target][i] + ".bias"] = state[b].clone()
    return out
