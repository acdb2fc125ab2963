# batch norm
# points: 0

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        return (x - x.mean(0, keepdim=True)) / (x.var(0, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias
