# %% by_the_formula | points 5 | by the formula
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

# %% filtered_then_one_call | points 5 | filtered, then one call
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    z = torch.cat([za[ya != -100], zb[yb != -100]])
    y = torch.cat([ya[ya != -100], yb[yb != -100]])
    if len(y) == 0:
        return za.sum() * 0 + zb.sum() * 0
    return F.cross_entropy(z, y, class_weights, label_smoothing=label_smoothing)

# %% no_reduction_own_division | points 5 | no reduction, own division
def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    top, bottom = 0.0, 0.0
    for z, y in ((za, ya), (zb, yb)):
        each = F.cross_entropy(z.permute(0, 2, 1), y, weight=class_weights, reduction="none",
                               ignore_index=-100, label_smoothing=label_smoothing)
        top = top + each.sum()
        w = torch.ones(z.size(-1)) if class_weights is None else class_weights
        bottom = bottom + (w[y.clamp(min=0)] * (y != -100)).sum()
    return top / torch.where(bottom > 0, bottom, 1.0)

# %% sums_by_the_library | points 5 | sums by the library
def accumulated_loss(logits_a, labels_a, logits_b, labels_b, class_weights=None, label_smoothing=0.0):
    def numerator(logits, labels):
        return F.cross_entropy(logits.permute(0, 2, 1), labels, weight=class_weights, label_smoothing=label_smoothing, reduction="sum")
    def denominator(labels):
        kept = labels[labels != -100]
        return float(len(kept)) if class_weights is None else class_weights[kept].sum().item()
    n = denominator(labels_a) + denominator(labels_b)
    return (numerator(logits_a, labels_a) + numerator(logits_b, labels_b)) / (n or 1.0)
