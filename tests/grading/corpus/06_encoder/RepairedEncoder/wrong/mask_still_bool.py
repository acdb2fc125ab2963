# mask still bool()
# points: 3

class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers))
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()
    def forward(self, x, attention_mask=None):
        mask = None if attention_mask is None else attention_mask.bool()
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=mask)
        return self.final_norm(x)
