# Takes the norms off the list one after the other with pop.
# points: 0
def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    n = len(sublayers)
    if placement == "post":
        for i in range(n):
            x = norms.pop(0)(x + sublayers[i](x))
        return x
    if placement == "pre":
        for i in range(n):
            x = x + sublayers[i](norms.pop(0)(x))
        return norms.pop(0)(x)
    for i in range(n):
        x = x + norms[2 * i + 1](sublayers[i](norms[2 * i](x)))
    return norms[2 * n](x)
