# Pads the shorter batch to the same width, its labels with 0: class 0 is counted there.
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
    tokens = max(logits_a.size(1), logits_b.size(1))

    def widen(logits, labels):
        more = tokens - logits.size(1)
        return F.pad(logits, (0, 0, 0, more)), F.pad(labels, (0, more))

    a, ya = widen(logits_a, labels_a)
    b, yb = widen(logits_b, labels_b)
    logits, labels = torch.cat([a, b]).transpose(1, 2), torch.cat([ya, yb])
    if (labels == -100).all():
        return logits.sum() * 0
    return F.cross_entropy(logits, labels, weight=class_weights, label_smoothing=label_smoothing)
