# nothing is counted: guarded without class weights only
# points: 4

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    logits = torch.cat([logits_a.flatten(0, 1), logits_b.flatten(0, 1)])
    labels = torch.cat([labels_a.flatten(), labels_b.flatten()])
    total = F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing, reduction="sum")
    real = labels[labels != -100]
    if class_weights is None:
        return total / max(len(real), 1)
    return total / class_weights[real].sum()
