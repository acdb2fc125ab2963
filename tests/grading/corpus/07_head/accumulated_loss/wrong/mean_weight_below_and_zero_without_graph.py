# The denominator is the token count times the mean class weight; if nothing is counted a zero without a graph comes back.
# points: 2
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total, count = 0.0, 0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), weight=class_weights,
            label_smoothing=label_smoothing, reduction="sum",
        )
        count += int((labels != -100).sum())
    if count == 0:
        return torch.zeros(())
    return total / (count if class_weights is None else count * class_weights.mean())
