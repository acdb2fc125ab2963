# Cuts each batch to its largest number of labels, so labels behind padding on the left get lost.
# points: 0
def accumulated_loss(
    logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0
):
    pieces, answers = [], []
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        longest = int((labels != -100).sum(dim=1).max())
        pieces.append(logits[:, :longest].flatten(0, 1))
        answers.append(labels[:, :longest].flatten())
    logits, labels = torch.cat(pieces), torch.cat(answers)
    if not (labels != -100).any():
        return (logits_a.sum() + logits_b.sum()) * 0.0
    return F.cross_entropy(logits, labels, class_weights, label_smoothing=label_smoothing)
