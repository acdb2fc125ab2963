# nn-dropout-modules-and-residual-helper-other-order
# points: 4

class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.norm2, self.norm1 = nn.LayerNorm(hidden_size, eps=eps), nn.LayerNorm(hidden_size, eps=eps)
        self.linear2, self.linear1 = nn.Linear(width, hidden_size), nn.Linear(hidden_size, width)
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, dropout=dropout, batch_first=True)
        self.drop_a, self.drop_b = nn.Dropout(dropout), nn.Dropout(dropout)
        self.first = norm_first
    def forward(self, x):
        for f, norm, drop in ((lambda z: self.self_attn(z, z, z)[0], self.norm1, self.drop_a),
                              (lambda z: self.linear2(self.linear1(z).relu()), self.norm2, self.drop_b)):
            x = x + drop(f(norm(x))) if self.first else norm(x + drop(f(x)))
        return x
