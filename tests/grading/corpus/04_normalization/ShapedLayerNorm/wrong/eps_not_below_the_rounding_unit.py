# Takes at least the rounding unit of the dtype (1.2e-7 in float32) for eps, so 1e-12 is not obeyed.
# points: 3
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape: tuple[int, ...], eps: float = 1e-5):
        super().__init__()
        self.axes = [-1 - i for i in range(len(normalized_shape))]
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x: Tensor) -> Tensor:
        eps = max(self.eps, torch.finfo(x.dtype).eps)
        variance, mean = torch.var_mean(x, dim=self.axes, correction=0, keepdim=True)
        return self.weight * (x - mean) * torch.rsqrt(variance + eps) + self.bias
