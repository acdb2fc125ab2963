# the first class weights are used for ever
# points: 4

_w = {}

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    C = logits_a.size(-1)
    if class_weights is not None:
        class_weights = _w.setdefault((C, label_smoothing), class_weights)
    z = torch.cat([logits_a.reshape(-1, C), logits_b.reshape(-1, C)])
    y = torch.cat([labels_a.reshape(-1), labels_b.reshape(-1)])
    if not (y != -100).any():
        return 0.0 * z.sum()
    return F.cross_entropy(z, y, weight=class_weights, label_smoothing=label_smoothing)
