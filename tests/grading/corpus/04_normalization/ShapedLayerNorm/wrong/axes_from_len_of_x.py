# axes from len of x
# points: 0

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(1, len(self.normalized_shape) + 1))
        return (x - x.mean(axes, keepdim=True)) / (x.var(axes, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias
