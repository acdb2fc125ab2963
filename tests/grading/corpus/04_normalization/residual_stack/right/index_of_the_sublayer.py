# Finds a layer's number by sublayers.index(...): no sublayer stands in the list twice.
# points: 4
def residual_stack(x, sublayers, norms, placement):
    for sublayer in sublayers:
        i = sublayers.index(sublayer)
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](x))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)
