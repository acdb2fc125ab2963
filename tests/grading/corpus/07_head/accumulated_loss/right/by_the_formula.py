# by the formula
# points: 5

def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    top = bottom = 0.0
    for z, y in ((logits_a, labels_a), (logits_b, labels_b)):
        w = torch.ones(z.size(-1), dtype=z.dtype) if class_weights is None else class_weights
        nll = -torch.log_softmax(z, -1)
        real = y.ne(-100)
        wy = w[y * real] * real
        hit = nll.gather(-1, (y * real)[..., None])[..., 0]
        top = top + ((1 - label_smoothing) * wy * hit + label_smoothing / z.size(-1) * (nll * w).sum(-1) * real).sum()
        bottom = bottom + wy.sum()
    return top / bottom if bottom > 0 else top * 0
