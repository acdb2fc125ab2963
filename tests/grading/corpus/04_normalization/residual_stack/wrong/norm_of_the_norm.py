# Pre-norm whose sublayer reads what was normalised twice.
# points: 3

def residual_stack(
    x: Tensor, sublayers: list[nn.Module], norms: list[nn.Module], placement: str
) -> Tensor:
    """Run a stack of residual layers whose norms stand after, before, or around the sublayers."""
    for i, sublayer in enumerate(sublayers):
        if placement == "post":
            x = norms[i](x + sublayer(x))
        elif placement == "pre":
            x = x + sublayer(norms[i](norms[i](x)))
        else:
            x = x + norms[2 * i + 1](sublayer(norms[2 * i](x)))
    return x if placement == "post" else norms[-1](x)
