# einsum-and-torch-tensor-of-lists
# points: 4

def move_weights(state, source, target):
    table = {"linear": ("intermediate", "output", "oi"), "gpt2": ("c_fc", "c_proj", "io"), "convolution": ("wider", "back", "oix")}
    s, t = table[source], table[target]
    new = {}
    for k in (0, 1):
        w = state[s[k] + ".weight"]
        if w.dim() == 3:
            w = w.squeeze(2)
        w = torch.einsum(f"{s[2][:2]}->{t[2][:2]}", w)
        if t[2].endswith("x"):
            w = w.reshape(*w.shape, 1)
        new[t[k] + ".weight"] = torch.tensor(w.tolist(), dtype=w.dtype)
        if s[k] + ".bias" in state:
            b = state[s[k] + ".bias"]
            new[t[k] + ".bias"] = torch.tensor(b.tolist(), dtype=b.dtype)
    return new
