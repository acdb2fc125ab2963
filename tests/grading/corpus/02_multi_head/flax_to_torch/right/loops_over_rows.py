# loops-over-rows
# points: 3

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
