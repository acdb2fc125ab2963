# dropout modules and helper
# points: 4

class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.norm_first = norm_first
        self.norm1, self.norm2 = (nn.LayerNorm(hidden_size, eps=eps) for _ in range(2))
        self.drop = nn.Dropout(dropout)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
    def forward(self, x):
        parts = [(self.norm1, lambda h: self.self_attn(h, h, h)[0]), (self.norm2, lambda h: self.linear2(self.linear1(h).relu()))]
        for norm, f in parts:
            x = x + self.drop(f(norm(x))) if self.norm_first else norm(x + self.drop(f(x)))
        return x
