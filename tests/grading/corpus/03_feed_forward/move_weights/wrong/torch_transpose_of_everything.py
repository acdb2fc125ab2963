# torch.transpose of everything
# points: 3

def move_weights(state, source, target):
    names = {"linear": ["intermediate", "output"], "gpt2": ["c_fc", "c_proj"], "convolution": ["wider", "back"]}
    out = {}
    for key, v in state.items():
        part, kind = key.split(".")
        new = names[target][names[source].index(part)] + "." + kind
        if kind == "weight":
            v = v.flatten(1)
            if source != target:
                v = v.T
            if target == "convolution":
                v = v.unsqueeze(-1)
        out[new] = v.clone().contiguous()
    return out
