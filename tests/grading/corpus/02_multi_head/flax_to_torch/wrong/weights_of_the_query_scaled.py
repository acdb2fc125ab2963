# weights of the query scaled
# points: 0

def flax_to_torch(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """The state of Flax's attention in the layout of nn.MultiheadAttention."""
    out = state["out.kernel"]
    parts = ("query", "key", "value")
    weights = [state[f"{part}.kernel"].permute(1, 2, 0).flatten(0, 1) for part in parts]
    weights[0] = weights[0] / out.size(1) ** 0.5
    zeros = out.new_zeros(out.shape[:2])
    biases = [state.get(f"{part}.bias", zeros).flatten() for part in parts]
    return {
        "in_proj_weight": torch.cat(weights),
        "in_proj_bias": torch.cat(biases),
        "out_proj.weight": out.flatten(0, 1).T,
        "out_proj.bias": state.get("out.bias", out.new_zeros(out.size(-1))),
    }
