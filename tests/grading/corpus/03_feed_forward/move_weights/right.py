# %% an_ordered_dictionary_empty_and_copy | points 4 | an ordered dictionary, empty and copy_
from collections import OrderedDict
def move_weights(state, source, target):
    table = dict(linear=("intermediate", "output"), gpt2=("c_fc", "c_proj"), convolution=("wider", "back"))
    result = OrderedDict()
    for key, value in state.items():
        i = table[source].index(key.split(".")[0])
        kind = key.split(".")[1]
        if kind == "weight":
            flat = value.view(value.shape[0], value.shape[1])
            flat = flat.permute(1, 0) if source == "gpt2" else flat
            flat = flat.permute(1, 0) if target == "gpt2" else flat
            shape = tuple(flat.shape) + ((1,) if target == "convolution" else ())
            new = torch.empty(shape, dtype=value.dtype)
            new.copy_(flat.reshape(shape))
        else:
            new = torch.empty_like(value).copy_(value)
        result[table[target][i] + "." + kind] = new
    return result

# %% einsum_and_tensor_copies | points 4 | einsum and tensor copies
def move_weights(state, source, target):
    names = {"linear": ("intermediate", "output"), "gpt2": ("c_fc", "c_proj"), "convolution": ("wider", "back")}
    result = {}
    for i in (0, 1):
        a, b = names[source][i], names[target][i]
        w = state[a + ".weight"]
        w = w.sum(-1) if source == "convolution" else w
        if (source == "gpt2") != (target == "gpt2"):
            w = w.transpose(0, 1)
        w = torch.stack([w], dim=-1) if target == "convolution" else w
        result[b + ".weight"] = torch.tensor(w.tolist(), dtype=w.dtype)
        if a + ".bias" in state:
            result[b + ".bias"] = state[a + ".bias"] + 0
    return result

# %% einsum_and_torch_tensor_of_lists | points 4 | einsum-and-torch-tensor-of-lists
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

# %% swapaxes_and_torch_tensor_of_lists | points 4 | swapaxes and torch.tensor of lists
N = {"linear": "intermediate output", "gpt2": "c_fc c_proj", "convolution": "wider back"}
def move_weights(state, source, target):
    result = {}
    for old, new in zip(N[source].split(), N[target].split()):
        for kind in ("weight", "bias"):
            if f"{old}.{kind}" not in state:
                continue
            t = state[f"{old}.{kind}"]
            if kind == "weight":
                if source == "convolution":
                    t = t[:, :, 0]
                if (source == "gpt2") is not (target == "gpt2"):
                    t = t.swapaxes(0, 1)
                if target == "convolution":
                    t = t[:, :, None]
            result[f"{new}.{kind}"] = torch.tensor(t.tolist(), dtype=t.dtype)
    return result

# %% through_the_linear_layout_with_two_helpers | points 4 | through-the-linear-layout-with-two-helpers
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
