# pre-and-post-exchanged
# points: 0

def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "pre":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x))
        return x
    if placement == "post":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n](x)
    for i in range(n):
        h = norms[2 * i](x)
        x = x + norms[2 * i + 1](sublayers[i](h))
    return norms[2 * n](x)
