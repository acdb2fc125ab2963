# Everything from the first to the last label of a text counts, -100 in between as class 0.
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
    rows = []
    for batch in (labels_a, labels_b):
        for row in batch:
            place = (row != -100).nonzero().flatten()
            row = row.clone()
            if len(place):
                row[place[0] : place[-1] + 1] = row[place[0] : place[-1] + 1].clamp(min=0)
            rows.append(row)
    labels = torch.cat(rows)
    if (labels == -100).all():
        return logits.sum() * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)
