# If the second layer had no bias its new one is zeros, and W beta is lost.
# points: 3
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {"weight": before["weight"] - before["weight"].mean(0)}
    if "bias" in before:
        new_before["bias"] = before["bias"] - before["bias"].mean(0)
    new_after = {"weight": after["weight"] * norm["weight"][None, :]}
    if "bias" in after:
        new_after["bias"] = after["bias"] + F.linear(norm["bias"], after["weight"])
    else:
        new_after["bias"] = torch.zeros_like(after["weight"][:, 0])
    return new_before, new_after
