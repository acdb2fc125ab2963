# iterators
# points: 4

def residual_stack(x, sublayers, norms, placement):
    it = iter(norms)
    for f in sublayers:
        if placement == "post":
            x = next(it)(torch.add(x, f(x)))
        else:
            y = f(next(it)(x))
            if placement == "sandwich":
                y = next(it)(y)
            x = x + y
    for last in it:
        x = last(x)
    return x
