# last norm inside loop
# points: 2

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x = norms[-1](x + f(norms[i](x)))
        else: x = norms[-1](x + norms[2*i+1](f(norms[2*i](x))))
    return x
