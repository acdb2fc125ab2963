# recursion
# points: 4

def residual_stack(x, sublayers, norms, placement):
    if not sublayers:
        return x if placement == "post" else norms[0](x)
    f, *rest = sublayers
    if placement == "post":
        return residual_stack(norms[0](x + f(x)), rest, norms[1:], placement)
    if placement == "pre":
        return residual_stack(x + f(norms[0](x)), rest, norms[1:], placement)
    return residual_stack(x + norms[1](f(norms[0](x))), rest, norms[2:], placement)
