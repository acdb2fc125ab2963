# row by row
# points: 3

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
