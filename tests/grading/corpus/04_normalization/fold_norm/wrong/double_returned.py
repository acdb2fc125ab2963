# Computes in float64 for the last digits and returns float64 weights.
# points: 0
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    before, norm, after = (
        {key: value.double() for key, value in state.items()} for state in (before, norm, after)
    )
    new_before = {key: value - value.mean(dim=0) for key, value in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias += after["bias"]
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
