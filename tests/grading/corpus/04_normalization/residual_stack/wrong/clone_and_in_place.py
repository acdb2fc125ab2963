# clone and in place
# points: 2

def residual_stack(x, sublayers, norms, placement):
    x = x.clone()
    for i, f in enumerate(sublayers):
        if placement == 'post': x = norms[i](x + f(x))
        elif placement == 'pre': x += f(norms[i](x))
        else: x += norms[2*i+1](f(norms[2*i](x)))
    return x if placement == 'post' else norms[-1](x)
