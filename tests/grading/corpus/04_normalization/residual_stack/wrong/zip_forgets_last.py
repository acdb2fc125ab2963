# zip forgets last
# points: 2

def residual_stack(x, sublayers, norms, placement):
    if placement == 'sandwich':
        for i, f in enumerate(sublayers):
            x = x + norms[2*i+1](f(norms[2*i](x)))
        return x
    for f, n in zip(sublayers, norms):
        x = n(x + f(x)) if placement == 'post' else x + f(n(x))
    return x
