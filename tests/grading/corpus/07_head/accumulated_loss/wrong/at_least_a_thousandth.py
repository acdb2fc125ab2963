# Divides by 0.001 at least; the weights of all labels together may be less.
# points: 3

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        logits, labels = logits.flatten(0, 1), labels.flatten()
        total = total + F.cross_entropy(logits, labels, class_weights, reduction="sum", label_smoothing=label_smoothing)
        real = labels[labels != -100]
        ones = torch.ones(logits.size(-1)) if class_weights is None else class_weights
        weight = weight + ones[real].sum()
    return total / weight.clamp(min=1e-3)
