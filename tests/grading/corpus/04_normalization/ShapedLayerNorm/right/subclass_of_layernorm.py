# subclass-of-layernorm
# points: 4

class ShapedLayerNorm(nn.LayerNorm):
    pass
