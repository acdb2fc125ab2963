# one bug left, that of post-norm
# points: 3

class RepairedLayer(nn.Module):
    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1, self.linear2 = nn.Linear(hidden_size, width), nn.Linear(width, hidden_size)
        self.norm1, self.norm2 = nn.LayerNorm(hidden_size, eps), nn.LayerNorm(hidden_size, eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first

    def attend(self, x):
        return self.drop(self.self_attn(x, x, x, need_weights=False)[0])

    def feed_forward(self, x):
        return self.drop(self.linear2(self.linear1(x).relu()))

    def forward(self, x):
        if self.norm_first:
            x = x + self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = x + self.attend(x)
        return self.norm2(x + self.feed_forward(self.norm1(x)))
