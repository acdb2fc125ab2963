# Leaves the layer before as it is, and centres the rows of the weight after, where it changes nothing.
# points: 3
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: tensor.clone() for name, tensor in before.items()}
    weight = after["weight"] * norm["weight"]
    weight = weight - weight.mean(dim=1, keepdim=True)
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": weight, "bias": bias}
