# through-the-linear-layout-with-two-helpers
# points: 4

def move_weights(state, source, target):
    names = dict(linear=("intermediate", "output"), gpt2=("c_fc", "c_proj"), convolution=("wider", "back"))
    into = {"linear": lambda w: w, "gpt2": lambda w: w.permute(1, 0), "convolution": lambda w: w[..., 0]}
    out = {"linear": lambda w: w, "gpt2": lambda w: w.permute(1, 0), "convolution": lambda w: w[..., None]}
    new = {}
    for key, tensor in state.items():
        layer, kind = key.rsplit(".", 1)
        place = names[source].index(layer)
        if kind == "weight":
            tensor = out[target](into[source](tensor))
        fresh = torch.empty(tensor.shape, dtype=tensor.dtype)
        fresh.copy_(tensor)
        new[names[target][place] + "." + kind] = fresh
    return new
