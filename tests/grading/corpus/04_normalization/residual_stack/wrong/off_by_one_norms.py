# off by one norms
# points: 2

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i+1](x))
        else: x = x + norms[2*i+2](f(norms[2*i+1](x)))
    return x if placement == 'post' else norms[0](x)
