# each-sublayer-reads-the-original-x
# points: 0

def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    x0 = x
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x0))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x0))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x0)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)
