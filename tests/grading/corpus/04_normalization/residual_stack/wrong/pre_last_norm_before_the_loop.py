# pre: last norm before the loop
# points: 2

def residual_stack(x, sublayers, norms, placement):
    if placement != 'post': x = norms[-1](x)
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = x + f(norms[i](x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x
