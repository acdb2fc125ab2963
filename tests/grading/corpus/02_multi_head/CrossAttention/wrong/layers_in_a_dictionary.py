# layers in a dictionary
# points: 0

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.layers = {n: nn.Linear(hidden_size if n in "query output" else source_size, hidden_size) for n in ("query", "key", "value", "output")}
        self.n = num_attention_heads
    def forward(self, x, y, source_mask=None):
        return self.layers["output"](x), None
