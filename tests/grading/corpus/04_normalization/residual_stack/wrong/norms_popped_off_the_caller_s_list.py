# norms-popped-off-the-caller-s-list
# points: 0

def residual_stack(x, sublayers, norms, placement):
    for f in sublayers:
        if placement == "post":
            x = norms.pop(0)(x + f(x))
        elif placement == "pre":
            x = x + f(norms.pop(0)(x))
        else:
            y = f(norms.pop(0)(x))
            x = x + norms.pop(0)(y)
    if placement != "post":
        x = norms.pop(0)(x)
    return x
