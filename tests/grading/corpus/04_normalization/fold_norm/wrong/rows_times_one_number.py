# Each row of the weights after the norm is the same number, W2 @ gamma.
# points: 0

def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    new_before = {name: tensor - tensor.mean(dim=0) for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"]
    if "bias" in after:
        bias = bias + after["bias"]
    return new_before, {"weight": (after["weight"] @ norm["weight"])[:, None] * torch.ones_like(after["weight"]), "bias": bias}
