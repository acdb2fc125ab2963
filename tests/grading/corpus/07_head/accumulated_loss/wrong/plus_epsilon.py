# Adds 1e-8 to the sum of the weights, against 0/0; weights may be as small as that.
# points: 3

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    total, weight = 0.0, 0.0
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        logits, labels = logits.flatten(0, 1), labels.flatten()
        total = total + F.cross_entropy(logits, labels, class_weights, reduction="sum", label_smoothing=label_smoothing)
        real = labels[labels != -100]
        weight = weight + (float(len(real)) if class_weights is None else class_weights[real].sum())
    return total / (weight + 1e-8)
