# The averaging vector is a plain attribute, so .double() leaves it in float32 and the product fails.
# points: 3
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.axes = len(normalized_shape)
        n = math.prod(normalized_shape)
        self.average = torch.full((n,), 1.0 / n)
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))

    def forward(self, x):
        h = x.flatten(-self.axes)
        h = h - (h @ self.average).unsqueeze(-1)
        var = ((h * h) @ self.average).unsqueeze(-1)
        h = h / torch.sqrt(var + self.eps)
        return self.weight * h.reshape(x.shape) + self.bias
