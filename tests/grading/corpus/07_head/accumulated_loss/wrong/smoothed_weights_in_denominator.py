# With smoothing the denominator sums the smoothed weights, (1 - e) w_y + e times the mean weight, not w_y.
# points: 4
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), weight=class_weights,
            label_smoothing=label_smoothing, reduction="sum",
        )
        kept = labels[labels != -100]
        if class_weights is None:
            weight = weight + kept.numel()
        else:
            smoothed = (1 - label_smoothing) * class_weights + label_smoothing * class_weights.mean()
            weight = weight + smoothed[kept].sum()
    return total if weight == 0 else total / weight
