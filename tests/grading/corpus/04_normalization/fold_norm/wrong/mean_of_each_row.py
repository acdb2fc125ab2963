# Subtracts from the first weight the mean of each row and not of each column.
# points: 3
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {"weight": before["weight"] - before["weight"].mean(dim=1, keepdim=True)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean()
    new_after = {
        "weight": after["weight"] * norm["weight"],
        "bias": after["weight"] @ norm["bias"],
    }
    if "bias" in after:
        new_after["bias"] = new_after["bias"] + after["bias"]
    return new_before, new_after
