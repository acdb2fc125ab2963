# Takes the logarithm of a softmax, which is minus infinity for logits like -10000.
# points: 4
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    classes = logits_a.size(-1)
    weights = torch.ones(classes) if class_weights is None else class_weights
    total, count = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        real = labels != -100
        log_p = logits[real].softmax(dim=-1).log()
        y = labels[real]
        hit = -log_p.gather(1, y[:, None]).squeeze(1) * weights[y]
        total = total + (1 - label_smoothing) * hit.sum()
        if label_smoothing > 0:
            total = total - label_smoothing / classes * (log_p * weights).sum()
        count = count + weights[y].sum()
    if count == 0:
        return (logits_a.sum() + logits_b.sum()) * 0.0
    return total / count
