# In pre-norm the final norm is the one of the last layer once more (index n - 1) instead of the last of the list.
# points: 3
def residual_stack(x, sublayers, norms, placement):
    n = len(sublayers)
    if placement == "post":
        for f, norm in zip(sublayers, norms):
            x = norm(x + f(x))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms[i](x))
        return norms[n - 1](x)
    for i in range(n):
        x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    return norms[2 * n](x)
