# GELU is put into the finished layer, whose fast path (evaluation mode without gradients, even number of heads) still uses ReLU.
# points: 3
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                batch_first=True,
                norm_first=pre_norm,
            )
            layer.activation = nn.functional.gelu
            self.layers.append(layer)
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        padding = None
        if attention_mask is not None:
            padding = attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        if self.pre_norm:
            x = self.final_norm(x)
        return x
