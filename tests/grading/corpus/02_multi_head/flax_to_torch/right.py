# %% einsum_rearranges | points 3 | einsum rearranges
def flax_to_torch(state):
    d = state["out.kernel"].shape[-1]
    w = [torch.einsum("dhe->hed", state[f"{p}.kernel"]).reshape(d, d) for p in "query key value".split()]
    b = [state[f"{p}.bias"].reshape(d) if f"{p}.bias" in state else torch.zeros_like(w[0][:, 0]) for p in "query key value".split()]
    return {"in_proj_weight": torch.vstack(w), "in_proj_bias": torch.hstack(b),
            "out_proj.weight": torch.einsum("heo->ohe", state["out.kernel"]).reshape(d, d),
            "out_proj.bias": state["out.bias"] if "out.bias" in state else torch.zeros_like(w[0][0])}

# %% loops_over_rows | points 3 | loops-over-rows
def flax_to_torch(state):
    E, H, D = state["query.kernel"].shape
    kw = dict(dtype=state["query.kernel"].dtype)
    new = {"out_proj.bias": torch.zeros(E, **kw), "out_proj.weight": torch.empty(E, E, **kw),
           "in_proj_bias": torch.zeros(3 * E, **kw), "in_proj_weight": torch.empty(3 * E, E, **kw)}
    for p, name in enumerate(["query", "key", "value"]):
        for h in range(H):
            for d in range(D):
                r = p * E + h * D + d
                new["in_proj_weight"][r] = state[name + ".kernel"][:, h, d]
                if name + ".bias" in state:
                    new["in_proj_bias"][r] = state[name + ".bias"][h, d]
                new["out_proj.weight"][:, h * D + d] = state["out.kernel"][h, d]
    if "out.bias" in state:
        new["out_proj.bias"] += state["out.bias"]
    return new

# %% movedim_and_reshape | points 3 | movedim and reshape
def flax_to_torch(state):
    hidden = state["out.bias"].numel() if "out.bias" in state else state["out.kernel"].shape[2]
    new = {"in_proj_weight": torch.vstack([state[n + ".kernel"].movedim(0, -1).reshape(hidden, hidden) for n in ("query", "key", "value")])}
    if "query.bias" in state:
        new["in_proj_bias"] = torch.hstack([state[n + ".bias"].ravel() for n in ("query", "key", "value")])
    else:
        new["in_proj_bias"] = torch.zeros(3 * hidden, dtype=state["out.kernel"].dtype)
    new["out_proj.weight"] = state["out.kernel"].reshape(hidden, hidden).T.contiguous()
    new["out_proj.bias"] = state["out.bias"] if "out.bias" in state else torch.zeros(hidden).to(state["out.kernel"])
    return new

# %% numpy_like_stack_and_einsum | points 3 | numpy-like-stack-and-einsum
def flax_to_torch(state):
    from collections import OrderedDict
    k = torch.stack([state[f"{n}.kernel"] for n in ("query", "key", "value")])
    b = torch.stack([state.get(f"{n}.bias", torch.zeros_like(k[0, 0])) for n in ("query", "key", "value")])
    o = torch.einsum("hde->ehd", state["out.kernel"])
    return OrderedDict(in_proj_weight=k.permute(0, 2, 3, 1).reshape(-1, k.size(1)), in_proj_bias=b.reshape(-1),
        **{"out_proj.weight": o.reshape(o.size(0), -1), "out_proj.bias": state.get("out.bias", torch.zeros_like(o[:, 0, 0]))})

# %% row_by_row | points 3 | row by row
def flax_to_torch(state):
    hidden, heads, size = state["query.kernel"].shape
    dtype = state["query.kernel"].dtype
    w = torch.empty(3 * hidden, hidden, dtype=dtype)
    b = torch.zeros(3 * hidden, dtype=dtype)
    o = torch.empty(hidden, hidden, dtype=dtype)
    for i, part in enumerate(["query", "key", "value"]):
        for h in range(heads):
            for j in range(size):
                w[i * hidden + h * size + j] = state[part + ".kernel"][:, h, j]
                if part + ".bias" in state:
                    b[i * hidden + h * size + j] = state[part + ".bias"][h, j]
    for h in range(heads):
        for j in range(size):
            o[:, h * size + j] = state["out.kernel"][h, j]
    ob = state["out.bias"].clone() if "out.bias" in state else torch.zeros(hidden, dtype=dtype)
    return {"out_proj.bias": ob, "out_proj.weight": o, "in_proj_bias": b, "in_proj_weight": w}

# %% the_kernel_flattened_as_it_is_then_transposed | points 3 | the kernel flattened as it is, then transposed
from collections import OrderedDict
def flax_to_torch(state):
    weight = torch.cat([state[f"{p}.kernel"].flatten(1) for p in ["query", "key", "value"]], dim=1).t()
    hidden = weight.size(1)
    bias = [state.get(f"{p}.bias", weight.new_zeros(hidden)).reshape(hidden) for p in ["query", "key", "value"]]
    return OrderedDict([
        ("in_proj_weight", weight), ("in_proj_bias", torch.cat(bias)),
        ("out_proj.weight", torch.einsum("hdo->ohd", state["out.kernel"]).flatten(1)),
        ("out_proj.bias", state.get("out.bias", weight.new_zeros(hidden))),
    ])
