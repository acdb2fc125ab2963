# The bias is a buffer and learns nothing; an eps below 0.000001 is raised to it "for safety".
# points: 2
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.axes = tuple(range(-len(normalized_shape), 0))
        self.eps = max(eps, 1e-6)
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.register_buffer("bias", torch.zeros(normalized_shape))

    def forward(self, x):
        mean = x.mean(dim=self.axes, keepdim=True)
        variance = x.var(dim=self.axes, keepdim=True, correction=0)
        return (x - mean) / torch.sqrt(variance + self.eps) * self.weight + self.bias
