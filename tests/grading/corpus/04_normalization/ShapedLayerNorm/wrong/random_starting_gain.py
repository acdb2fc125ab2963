# random-starting-gain
# points: 3

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.dims = [-(i + 1) for i in range(len(normalized_shape))]
        self.eps = eps
        self.weight = nn.Parameter(torch.randn(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        mean = x.mean(self.dims, keepdim=True)
        var = ((x - mean) ** 2).mean(self.dims, keepdim=True)
        normed = (x - mean) / torch.sqrt(var + self.eps)
        return self.weight * normed + self.bias
