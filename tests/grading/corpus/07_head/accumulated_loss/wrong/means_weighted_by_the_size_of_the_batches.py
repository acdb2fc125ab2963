# means weighted by the size of the batches
# points: 0

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    a = F.cross_entropy(logits_a.flatten(0, 1), labels_a.flatten(), weight=class_weights, label_smoothing=label_smoothing)
    b = F.cross_entropy(logits_b.flatten(0, 1), labels_b.flatten(), weight=class_weights, label_smoothing=label_smoothing)
    n, m = labels_a.numel(), labels_b.numel()
    return (a * n + b * m) / (n + m)
