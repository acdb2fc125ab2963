# nn.TransformerEncoder inside
# points: 4

class RepairedEncoder(nn.TransformerEncoder):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        layer = nn.TransformerEncoderLayer(hidden_size, num_heads, width, activation=nn.functional.gelu, batch_first=True, norm_first=pre_norm)
        super().__init__(layer, num_layers, enable_nested_tensor=False)
        for each in self.layers:
            for p in each.parameters():
                if p.dim() > 1:
                    nn.init.xavier_uniform_(p)
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
    def forward(self, x, attention_mask=None):
        padding = None if attention_mask is None else ~attention_mask.bool()
        x = super().forward(x, src_key_padding_mask=padding)
        return self.final_norm(x) if hasattr(self, "final_norm") else x
