# sums by the library
# points: 5

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    def numerator(logits, labels):
        return F.cross_entropy(logits.permute(0, 2, 1), labels, weight=class_weights, label_smoothing=label_smoothing, reduction="sum")
    def denominator(labels):
        kept = labels[labels != -100]
        return float(len(kept)) if class_weights is None else class_weights[kept].sum().item()
    n = denominator(labels_a) + denominator(labels_b)
    return (numerator(logits_a, labels_a) + numerator(logits_b, labels_b)) / (n or 1.0)
