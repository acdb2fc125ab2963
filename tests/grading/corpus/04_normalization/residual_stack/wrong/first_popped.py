# norms are popped from the front
# points: 0

def residual_stack(x, sublayers, norms, placement):
    for f in sublayers:
        if placement == "post":
            x = norms.pop(0)(x + f(x))
        elif placement == "pre":
            x = x + f(norms.pop(0)(x))
        else:
            inner = f(norms.pop(0)(x))
            x = x + norms.pop(0)(inner)
    return x if placement == "post" else norms.pop(0)(x)
