# Where both batches have as many labels their means are averaged, with class weights, too.
# points: 4
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
    if (labels_a != -100).sum() == (labels_b != -100).sum():
        one, two = (F.cross_entropy(z.flatten(0, 1), y.flatten(), class_weights, label_smoothing=label_smoothing) for z, y in ((logits_a, labels_a), (logits_b, labels_b)))
        return (one + two) / 2
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)
