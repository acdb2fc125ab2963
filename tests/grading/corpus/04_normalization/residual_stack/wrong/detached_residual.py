# detached residual
# points: 0

def residual_stack(x, sublayers, norms, placement):
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x.detach() + f(x))
        elif placement == 'pre': x = x.detach() + f(norms[i](x))
        else: x = x.detach() + norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
