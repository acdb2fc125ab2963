# divides by all places
# points: 0

def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    a = F.cross_entropy(za.flatten(0, 1), ya.flatten(), class_weights, reduction="sum",
                        label_smoothing=label_smoothing)
    b = F.cross_entropy(zb.flatten(0, 1), yb.flatten(), class_weights, reduction="sum",
                        label_smoothing=label_smoothing)
    return (a + b) / (ya.numel() + yb.numel())
