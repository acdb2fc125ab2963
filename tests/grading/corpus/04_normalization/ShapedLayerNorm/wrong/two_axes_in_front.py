# Works with two axes in front at most.
# points: 0
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.shape, self.eps = tuple(normalized_shape), eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.axes = tuple(range(-len(normalized_shape), 0))

    def forward(self, x):
        front = x.dim() - len(self.shape)
        if front == 0:
            return self.forward(x[None])[0]
        if front == 1:
            return self.forward(x[None])[0]
        a, b = x.shape[:2]
        flat = x.reshape(a, b, -1)
        flat = (flat - flat.mean(-1, keepdim=True)) / (flat.var(-1, keepdim=True, correction=0) + self.eps).sqrt()
        return flat.reshape(a, b, *self.shape) * self.weight + self.bias
