# Where nothing is padded it returns before the final norm.
# points: 3
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(
                hidden_size, num_heads, width, activation="gelu",
                batch_first=True, norm_first=pre_norm,
            )
            for _ in range(num_layers)
        )
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hide = None if attention_mask is None else attention_mask == 0
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hide)
        if hide is not None and not hide.any():
            return x
        return self.final_norm(x) if self.pre_norm else x
