# sandwich i and i+1
# points: 3

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[i+1](f(norms[i](x)))
    if placement == 'post': return x
    return norms[-1](x)
