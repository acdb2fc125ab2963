# The centring matrix divides by the number of inputs; right only if that is the hidden size.
# points: 3
def fold_norm(
    before: dict[str, Tensor], norm: dict[str, Tensor], after: dict[str, Tensor]
) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Weights with which a bare RMSNorm does what the LayerNorm between two layers did."""
    hidden, size = before["weight"].shape
    centre = torch.eye(hidden) - torch.ones(hidden, hidden) / size
    new_before = {name: centre @ tensor for name, tensor in before.items()}
    bias = after["weight"] @ norm["bias"] + after.get("bias", 0)
    return new_before, {"weight": after["weight"] * norm["weight"], "bias": bias}
