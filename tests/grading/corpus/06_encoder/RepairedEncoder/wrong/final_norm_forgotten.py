# only the pre-norm stack is wrong, and costs once
# points: 3

class RepairedEncoder(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm is None:
            pass
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        hidden = None if attention_mask is None else attention_mask.eq(0)
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return x
