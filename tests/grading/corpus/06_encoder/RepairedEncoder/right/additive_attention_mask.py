# additive attention mask
# points: 4

class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        make = lambda: nn.TransformerEncoderLayer(hidden_size, num_heads, width, 0.1, "gelu", 1e-5, True, pre_norm)
        self.layers = nn.Sequential(*(make() for _ in range(num_layers)))
        self.heads = num_heads
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
        self.pre_norm = pre_norm
    def forward(self, x, attention_mask=None):
        mask = None
        if attention_mask is not None:
            b, t = attention_mask.shape
            mask = torch.zeros(b, t).masked_fill(attention_mask == 0, float("-inf"))
            mask = mask[:, None, None].expand(b, self.heads, t, t).reshape(b * self.heads, t, t)
        for layer in self.layers:
            x = layer(x, mask)
        if self.pre_norm:
            x = self.final_norm(x)
        return x
