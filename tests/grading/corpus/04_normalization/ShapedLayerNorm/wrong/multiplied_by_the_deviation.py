# multiplied by the deviation
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
        mean = x.mean(dim=self.axes, keepdim=True)
        variance = x.var(dim=self.axes, keepdim=True, correction=0)
        return (x - mean) * torch.sqrt(variance + self.eps) * self.weight + self.bias
