# where nothing is padded the means of both batches are averaged
# points: 0
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
    if (labels != -100).all():
        return (F.cross_entropy(logits_a.flatten(0, 1), labels_a.flatten(), class_weights, label_smoothing=label_smoothing) + F.cross_entropy(logits_b.flatten(0, 1), labels_b.flatten(), class_weights, label_smoothing=label_smoothing)) / 2
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)

