# iterator of norms
# points: 4

def residual_stack(x, sublayers, norms, placement):
    n = iter(norms)
    for f in sublayers:
        if placement == "post":
            x = next(n)(f(x) + x)
        elif placement == "pre":
            x = f(next(n)(x)) + x
        elif placement == "sandwich":
            y = f(next(n)(x))
            x = next(n)(y) + x
    for last in n:
        x = last(x)
    return x
