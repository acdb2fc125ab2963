# an empty stack returns x without the last norm
# points: 2

def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if n == 0:
        return x
    for i in range(n):
        if placement == "post":
            x = norms[i](x + sublayers[i](x))
        elif placement == "pre":
            x = x + sublayers[i](norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    if placement != "post":
        x = norms[-1](x)
    return x
