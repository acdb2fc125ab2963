# uses i after loop
# points: 2

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    if placement == 'pre': x = norms[i+1](x)
    if placement == 'sandwich': x = norms[2*i+2](x)
    return x
