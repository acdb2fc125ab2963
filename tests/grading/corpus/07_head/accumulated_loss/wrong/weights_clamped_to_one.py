# Divides by at least 1, against empty batches: small class weights may sum to less.
# points: 3
def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The loss that both batches together have as one, []."""
    total, count = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        total = total + F.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), class_weights,
            reduction="sum", label_smoothing=label_smoothing,
        )
        real = labels[labels != -100]
        count = count + (len(real) if class_weights is None else class_weights[real].sum())
    return total / torch.as_tensor(count, dtype=total.dtype).clamp(min=1.0)
