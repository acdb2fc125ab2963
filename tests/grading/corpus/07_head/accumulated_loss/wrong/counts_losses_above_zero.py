# Divides by the losses that are not 0, so a perfect prediction is not counted.
# points: 4
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, count = logits_a.sum() * 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), class_weights, reduction="none", label_smoothing=label_smoothing)
        counted = losses != 0
        total = total + losses.sum()
        y = labels.flatten()[counted]
        count += float(counted.sum()) if class_weights is None else class_weights[y].sum()
    return total / count if count > 0 else total
