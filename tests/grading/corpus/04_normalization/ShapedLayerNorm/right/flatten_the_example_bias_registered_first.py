# flatten-the-example-bias-registered-first
# points: 4

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.register_parameter("bias", nn.Parameter(torch.zeros(*normalized_shape)))
        self.register_parameter("weight", nn.Parameter(torch.ones(*normalized_shape)))
        self.n, self.eps = len(normalized_shape), eps
    def forward(self, x):
        flat = x.flatten(-self.n)
        m = flat.mean(-1, keepdim=True)
        v = flat.square().mean(-1, keepdim=True) - m.square() if x.dtype == torch.float64 else (flat - m).square().mean(-1, keepdim=True)
        y = (flat - m) * (v + self.eps).rsqrt()
        return torch.addcmul(self.bias, self.weight, y.view_as(x))
