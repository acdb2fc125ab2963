# eps is raised to the eps of the dtype, 0.0000001, which shows with tiny numbers.
# points: 3
class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        self.shape, self.eps = tuple(normalized_shape), eps
        self.weight = nn.Parameter(torch.ones(normalized_shape))
        self.bias = nn.Parameter(torch.zeros(normalized_shape))
        self.axes = tuple(range(-len(normalized_shape), 0))

    def forward(self, x):
        eps = max(self.eps, torch.finfo(x.dtype).eps)
        var, mean = torch.var_mean(x, self.axes, correction=0, keepdim=True)
        return (x - mean) / (var + eps).sqrt() * self.weight + self.bias
