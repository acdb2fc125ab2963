# Counts the real tokens and builds the mask anew, so padding on the left is looked at and words are hidden.
# points: 0

class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            layer = nn.TransformerEncoderLayer(
                hidden_size,
                num_heads,
                width,
                activation="gelu",
                batch_first=True,
                norm_first=pre_norm,
            )
            self.layers.append(layer)
        self.pre_norm = pre_norm
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)

    def forward(self, x, attention_mask=None):
        if attention_mask is not None:
            lengths = attention_mask.sum(dim=1, keepdim=True)
            attention_mask = torch.arange(x.size(1)) >= lengths
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=attention_mask)
        if self.pre_norm:
            x = self.final_norm(x)
        return x
