# Makes the mask anew from the lengths, with all padding on the left if any text has it there.
# points: 0
class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation="gelu", batch_first=True, norm_first=pre_norm)
            for _ in range(num_layers)
        )
        self.final_norm = nn.LayerNorm(hidden_size) if pre_norm else nn.Identity()

    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else attention_mask == 0
        if padding is not None:
            lengths = (~padding).sum(1)
            place = torch.arange(x.size(1))
            if padding[:, 0].any():
                padding = place < x.size(1) - lengths[:, None]
            else:
                padding = place >= lengths[:, None]

        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        return self.final_norm(x)
