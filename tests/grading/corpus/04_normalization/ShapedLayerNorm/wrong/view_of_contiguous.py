# Flattens with view, which fails where two axes lie transposed.
# points: 0
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.n = len(normalized_shape); self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape)); self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        flat = x.view(*x.shape[:x.dim() - self.n], -1)
        flat = (flat - flat.mean(-1, keepdim=True)) / (flat.var(-1, keepdim=True, correction=0) + self.eps).sqrt()
        return flat.view(x.shape) * self.weight + self.bias

