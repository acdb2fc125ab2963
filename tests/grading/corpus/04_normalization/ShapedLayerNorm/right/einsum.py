# einsum
# points: 4

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        f = x.flatten(-len(self.normalized_shape))
        f = f - f.mean(-1, keepdim=True)
        v = torch.einsum('...i,...i->...', f, f) / f.size(-1)
        f = f / torch.sqrt(v + self.eps)[..., None]
        return f.unflatten(-1, self.normalized_shape) * self.weight + self.bias
