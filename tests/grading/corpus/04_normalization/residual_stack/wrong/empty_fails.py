# the last norm by the loop variable: an empty stack fails
# points: 2

def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    for i in range(n):
        if placement == "post":
            x = norms[i](x + sublayers[i](x))
        elif placement == "pre":
            x = x + sublayers[i](norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    if placement != "post":
        x = norms[(i + 1) * (2 if placement == "sandwich" else 1)](x)
    return x
