# query-weights-scaled-by-1-sqrt-head-size
# points: 0

def flax_to_torch(state):
    hidden, heads, d = state["query.kernel"].shape
    parts = ["query", "key", "value"]
    weights = []
    biases = []
    for p in parts:
        weights.append(state[p + ".kernel"].reshape(hidden, heads * d).T)
        if p + ".bias" in state:
            biases.append(state[p + ".bias"].reshape(-1))
        else:
            biases.append(torch.zeros(hidden, dtype=weights[0].dtype))
    weights[0] = weights[0] / d ** 0.5
    out = state["out.kernel"].reshape(heads * d, hidden)
    if "out.bias" in state:
        out_bias = state["out.bias"]
    else:
        out_bias = torch.zeros(hidden, dtype=out.dtype)
    return {
        "in_proj_weight": torch.cat(weights, dim=0),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.T,
        "out_proj.bias": out_bias,
    }
