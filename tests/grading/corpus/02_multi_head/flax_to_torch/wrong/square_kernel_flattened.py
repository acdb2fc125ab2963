# Moves the axes of a kernel only where the number of heads differs from hidden.
# points: 0
def flax_to_torch(state):
    out = state["out.kernel"]
    parts = ("query", "key", "value")
    weights = [state[f"{part}.kernel"].permute(1, 2, 0).flatten(0, 1) if out.size(0) != out.size(2) else state[f"{part}.kernel"].flatten(1) for part in parts]
    zeros = out.new_zeros(out.shape[:2])
    biases = [state.get(f"{part}.bias", zeros).flatten() for part in parts]
    return {
        "in_proj_weight": torch.cat(weights),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", out.new_zeros(out.size(-1))),
    }
