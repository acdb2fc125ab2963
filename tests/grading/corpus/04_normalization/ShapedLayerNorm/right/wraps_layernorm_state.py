# wraps LayerNorm state
# points: 4

class ShapedLayerNorm(nn.LayerNorm):
    pass
