# no reduction, own division
# points: 5

def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    top, bottom = 0.0, 0.0
    for z, y in ((za, ya), (zb, yb)):
        each = F.cross_entropy(z.permute(0, 2, 1), y, weight=class_weights, reduction="none",
                               ignore_index=-100, label_smoothing=label_smoothing)
        top = top + each.sum()
        w = torch.ones(z.size(-1)) if class_weights is None else class_weights
        bottom = bottom + (w[y.clamp(min=0)] * (y != -100)).sum()
    return top / torch.where(bottom > 0, bottom, 1.0)
