# one call, empty forgotten
# points: 4

def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    C = za.shape[-1]
    return F.cross_entropy(torch.cat([za.reshape(-1, C), zb.reshape(-1, C)]),
                           torch.cat([ya.reshape(-1), yb.reshape(-1)]),
                           weight=class_weights, label_smoothing=label_smoothing)
