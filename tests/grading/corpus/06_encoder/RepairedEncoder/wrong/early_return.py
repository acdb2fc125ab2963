# Without a mask it returns before the final norm.
# points: 3
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                nn.TransformerEncoderLayer(
                    hidden_size, num_heads, width, activation="gelu",
                    batch_first=True, norm_first=pre_norm,
                )
            )
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        if attention_mask is None:
            for layer in self.layers:
                x = layer(x)
            return x
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask.eq(0))
        if self.pre_norm:
            x = self.final_norm(x)
        return x
