# match
# points: 4

def residual_stack(x, sublayers, norms, placement):
    it = iter(norms)
    for f in sublayers:
        match placement:
            case 'post': x = next(it)(f(x) + x)
            case 'pre': x = f(next(it)(x)) + x
            case 'sandwich':
                a, b = next(it), next(it)
                x = b(f(a(x))) + x
    for n in it: x = n(x)
    return x
