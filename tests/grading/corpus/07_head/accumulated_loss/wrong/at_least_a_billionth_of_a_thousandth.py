# the sum of the weights is at least 1e-12, and may be smaller
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
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    if (labels == -100).all():
        return logits.sum() * 0.0
    w = torch.ones(logits.size(-1)) if class_weights is None else class_weights
    n = w[labels[labels != -100]].sum()
    return F.cross_entropy(logits, labels, class_weights, reduction='sum', label_smoothing=label_smoothing) / n.clamp(min=1e-12)

