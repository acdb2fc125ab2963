# inherits
# points: 4

class ShapedLayerNorm(nn.LayerNorm):
    def __init__(self, normalized_shape, eps=1e-5):
        super().__init__(list(normalized_shape), eps=eps)
