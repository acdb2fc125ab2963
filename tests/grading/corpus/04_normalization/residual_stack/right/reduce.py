# reduce
# points: 4

from functools import reduce
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == 'post':
        return reduce(lambda h, p: p[1](h + p[0](h)), zip(sublayers, norms), x)
    if placement == 'pre':
        return norms[n](reduce(lambda h, p: h + p[0](p[1](h)), zip(sublayers, norms), x))
    pairs = zip(sublayers, norms[0:2*n:2], norms[1:2*n:2])
    return norms[2*n](reduce(lambda h, p: h + p[2](p[0](p[1](h))), pairs, x))
