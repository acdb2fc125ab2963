# Wraps nn.LayerNorm: the parameters are called norm.weight and norm.bias, so no checkpoint fits.
# points: 0
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.norm = nn.LayerNorm(normalized_shape, eps=eps)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x)
