# list of dims hard coded for 1 and 2
# points: 0

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
    def forward(self, x):
        axes = (-1,) if len(self.normalized_shape) == 1 else (-2, -1)
        return (x - x.mean(axes, keepdim=True)) / (x.var(axes, keepdim=True, correction=0) + self.eps).sqrt() * self.weight + self.bias
