# filtered, then one call
# points: 5

def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    z = torch.cat([za[ya != -100], zb[yb != -100]])
    y = torch.cat([ya[ya != -100], yb[yb != -100]])
    if len(y) == 0:
        return za.sum() * 0 + zb.sum() * 0
    return F.cross_entropy(z, y, class_weights, label_smoothing=label_smoothing)
