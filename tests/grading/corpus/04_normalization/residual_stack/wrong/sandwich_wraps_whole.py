# sandwich wraps whole
# points: 3

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = norms[2*i+1](x + f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
