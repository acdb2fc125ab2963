# Weights that come out of a convolution are float32 always.
# points: 3
def move_weights(state, source, target):
    NAMES = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    new = {}
    for a, b in zip(NAMES[source], NAMES[target]):
        w = state[a + ".weight"]
        if source == "convolution":
            w = w.squeeze(-1)
        if (source == "gpt2") != (target == "gpt2"):
            w = w.T
        if target == "convolution":
            w = w.unsqueeze(-1)
        w = w.clone(memory_format=torch.contiguous_format)
        w = w.float() if source == 'convolution' else w
        bias = state.get(a + ".bias")
        new[b + ".weight"] = w
        if bias is not None:
            new[b + ".bias"] = bias.clone()
    return new
