# flatten and functional
# points: 4

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.n = len(normalized_shape)
        self.eps = eps
        self.bias = nn.Parameter(torch.empty(normalized_shape))
        self.weight = nn.Parameter(torch.empty(normalized_shape))
        nn.init.zeros_(self.bias)
        nn.init.ones_(self.weight)
    def forward(self, x):
        rows = x.flatten(-self.n)
        rows = rows - rows.mean(-1, keepdim=True)
        rows = rows * (rows.pow(2).sum(-1, keepdim=True) / rows.size(-1) + self.eps).rsqrt()
        return torch.addcmul(self.bias, rows.reshape(x.shape), self.weight)
