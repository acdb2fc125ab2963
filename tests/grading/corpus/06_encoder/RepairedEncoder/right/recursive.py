# recursive
# points: 4

class RepairedEncoder(nn.Module):
    def __init__(self, hidden_size, num_heads, width, num_layers, pre_norm):
        super().__init__()
        self.layers = nn.Sequential(*[
            nn.TransformerEncoderLayer(hidden_size, num_heads, width, 0.0, F.gelu, 1e-5, True, pre_norm)
            for _ in range(num_layers)])
        if pre_norm:
            self.final_norm = nn.LayerNorm(hidden_size)
    def forward(self, x, attention_mask=None):
        padding = attention_mask if attention_mask is None else (1 - attention_mask).bool()
        def run(x, layers):
            return x if not layers else run(layers[0](x, None, padding), layers[1:])
        x = run(x, list(self.layers))
        return self.final_norm(x) if hasattr(self, "final_norm") else x
