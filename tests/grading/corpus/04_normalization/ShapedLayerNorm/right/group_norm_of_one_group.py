# group norm of one group
# points: 4

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        s = x.shape
        n = len(self.normalized_shape)
        flat = x.reshape(-1, 1, self.weight.numel())
        y = F.group_norm(flat, 1, eps=self.eps).reshape(s)
        return y * self.weight + self.bias
