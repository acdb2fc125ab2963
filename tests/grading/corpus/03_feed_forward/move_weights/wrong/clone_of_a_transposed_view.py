# clone of a transposed view
# points: 3

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, value in state.items():
        part, kind = key.split(".")
        new = names[target][names[source].index(part)]
        if kind == "weight":
            w = value if source != "convolution" else value[:, :, 0]
            if (source == "gpt2") ^ (target == "gpt2"):
                w = w.t()
            value = w if target != "convolution" else w[:, :, None]
        out[new + "." + kind] = value.clone()
    return out
