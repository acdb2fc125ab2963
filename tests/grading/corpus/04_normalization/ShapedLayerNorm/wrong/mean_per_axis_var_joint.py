# mean per axis, var joint
# points: 0

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = tuple(range(x.dim() - len(self.normalized_shape), x.dim()))
        m = x
        for a in axes:
            m = m.mean(a)
        return (x - m) / x.var(axes, keepdim=True, correction=0).add(self.eps).sqrt() * self.weight + self.bias
