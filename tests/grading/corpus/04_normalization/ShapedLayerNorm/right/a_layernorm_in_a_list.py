# a LayerNorm in a list, whose parameters are this module's
# points: 4

class ShapedLayerNorm(nn.Module):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__()
        norm = nn.LayerNorm(normalized_shape, eps=eps)
        self.weight, self.bias = norm.weight, norm.bias
        self.norm = [norm]
    def forward(self, x):
        (norm,) = self.norm
        return norm(x)
