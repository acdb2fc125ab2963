# lengths for places, as if all padding stood on the right
# points: 0

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    z, y = [], []
    for logits, labels in ((logits_a, labels_a), (logits_b, labels_b)):
        for row, own in zip(logits, labels):
            length = int((own != -100).sum())
            z.append(row[:length])
            y.append(own[:length])
    z, y = torch.cat(z), torch.cat(y)
    if len(y) == 0:
        return (logits_a.sum() + logits_b.sum()) * 0
    return F.cross_entropy(z, y, class_weights, label_smoothing=label_smoothing)
