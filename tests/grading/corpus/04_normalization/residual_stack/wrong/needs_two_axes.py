# Looks at the last two axes of x; a single token has one.
# points: 0
def residual_stack(x, sublayers, norms, placement):
    tokens, hidden = x.shape[-2:]
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)
