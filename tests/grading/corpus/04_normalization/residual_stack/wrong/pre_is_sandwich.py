# pre is sandwich
# points: 3

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        else: x = x + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
