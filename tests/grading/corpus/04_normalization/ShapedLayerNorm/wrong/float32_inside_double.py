# Computes in float32 whatever the dtype and converts back, so a double x with a large mean (a million plus small numbers) comes out wrong.
# points: 3
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.dims = tuple(range(-len(normalized_shape), 0))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        h = x.float()
        h = h - h.mean(dim=self.dims, keepdim=True)
        var = (h * h).mean(dim=self.dims, keepdim=True)
        h = h * torch.rsqrt(var + self.eps)
        return self.weight * h.to(x.dtype) + self.bias
