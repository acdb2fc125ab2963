# goes past an empty batch, and a fresh zero if both are empty
# points: 4

def accumulated_loss(
    logits_a: Tensor,
    labels_a: Tensor,
    logits_b: Tensor,
    labels_b: Tensor,
    class_weights: Tensor | None = None,
    label_smoothing: float = 0.0,
) -> Tensor:
    total = torch.tensor(0.0)
    count = torch.tensor(0.0)
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        real = labels != -100
        if real.sum() == 0:
            continue
        total = total + F.cross_entropy(
            logits[real], labels[real], class_weights, reduction="sum", label_smoothing=label_smoothing
        )
        if class_weights is None:
            count = count + real.sum()
        else:
            count = count + class_weights[labels[real]].sum()
    if count == 0:
        return torch.tensor(0.0)
    return total / count
