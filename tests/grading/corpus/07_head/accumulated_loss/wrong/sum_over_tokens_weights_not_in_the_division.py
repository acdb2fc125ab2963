# sum over tokens, weights not in the division
# points: 2

def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    z = torch.cat([za.flatten(0, 1), zb.flatten(0, 1)])
    y = torch.cat([ya.flatten(), yb.flatten()])
    s = F.cross_entropy(z, y, class_weights, reduction="sum", label_smoothing=0.0)
    return s / (y != -100).sum()
