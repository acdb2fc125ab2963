# instance via vmap-like loop
# points: 4

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        n = self.weight.numel()
        rows = []
        for r in x.reshape(-1, n):
            m = r.mean()
            rows.append((r - m) * ((r - m).pow(2).sum() / n + self.eps).rsqrt())
        return torch.stack(rows).reshape(x.shape) * self.weight + self.bias
