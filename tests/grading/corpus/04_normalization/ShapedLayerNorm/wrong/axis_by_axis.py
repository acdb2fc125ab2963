# Normalises along one axis after the other in place of all numbers together.
# points: 0
class ShapedLayerNorm(nn.Module):
    """Layer normalisation over all the trailing axes that `normalized_shape` names."""

    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        for axis in self.axes:
            mean = x.mean(dim=axis, keepdim=True)
            variance = x.var(dim=axis, keepdim=True, correction=0)
            x = (x - mean) / torch.sqrt(variance + self.eps)
        return x * self.weight + self.bias
