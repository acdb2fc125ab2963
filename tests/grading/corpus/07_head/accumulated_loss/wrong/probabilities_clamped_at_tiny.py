# Probabilities are clamped at the smallest float before the logarithm, so no token costs more than about 87.
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
        classes = logits.shape[-1]
        weights = logits.new_ones(classes) if class_weights is None else class_weights
        keep = labels != -100
        kept = labels[keep]
        costs = -logits[keep].softmax(-1).clamp_min(torch.finfo(torch.float32).tiny).log()
        hit = costs.gather(1, kept[:, None])[:, 0] * weights[kept]
        spread = (costs * weights).sum(-1) / classes
        total = total + ((1 - label_smoothing) * hit + label_smoothing * spread).sum()
        weight = weight + weights[kept].sum()
    return total if weight == 0 else total / weight
