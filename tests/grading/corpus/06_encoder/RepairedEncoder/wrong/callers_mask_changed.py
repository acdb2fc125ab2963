# the mask of the caller is turned over in place
# points: 0

class RepairedEncoder(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.TransformerEncoderLayer(hidden_size, num_heads, dim_feedforward=width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        hidden = None
        if attention_mask is not None:
            hidden = attention_mask.sub_(1).neg_().bool()
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=hidden)
        return self.final_norm(x) if hasattr(self, "final_norm") else x
