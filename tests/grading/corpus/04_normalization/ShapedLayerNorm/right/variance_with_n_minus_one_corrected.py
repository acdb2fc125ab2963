# Turns the variance with n-1 into the one with n afterwards; an example has at least two numbers.
# points: 4
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.dims = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        n = self.weight.numel()
        mean = x.mean(self.dims, keepdim=True)
        variance = x.var(self.dims, keepdim=True) * (n - 1) / n
        return self.weight * (x - mean) / torch.sqrt(variance + self.eps) + self.bias
