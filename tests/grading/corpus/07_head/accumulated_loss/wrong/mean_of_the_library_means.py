# mean of the library means
# points: 0

def accumulated_loss(za, ya, zb, yb, class_weights=None, label_smoothing=0.0):
    losses = []
    for z, y in ((za, ya), (zb, yb)):
        losses.append(F.cross_entropy(z.transpose(1, 2), y, class_weights,
                                      label_smoothing=label_smoothing))
    return (losses[0] + losses[1]) / 2
