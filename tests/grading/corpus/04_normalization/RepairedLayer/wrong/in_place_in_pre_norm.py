# Adds to x in place, in pre-norm only.
# points: 3

class RepairedLayer(nn.Module):
    """An encoder layer that equals nn.TransformerEncoderLayer in evaluation mode."""

    def __init__(self, hidden_size, num_heads, width, norm_first, eps=1e-5, dropout=0.1):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(hidden_size, num_heads, batch_first=True)
        self.linear1 = nn.Linear(hidden_size, width)
        self.linear2 = nn.Linear(width, hidden_size)
        self.norm1 = nn.LayerNorm(hidden_size, eps)
        self.norm2 = nn.LayerNorm(hidden_size, eps)
        self.norm_first = norm_first
        self.dropout = dropout

    def attend(self, x):
        output, _ = self.self_attn(x, x, x, need_weights=False)
        return F.dropout(output, self.dropout, self.training)

    def feed_forward(self, x):
        output = self.linear2(F.relu(self.linear1(x)))
        return F.dropout(output, self.dropout, self.training)

    def forward(self, x):
        if self.norm_first:
            x += self.attend(self.norm1(x))
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x))
        return self.norm2(x + self.feed_forward(x))

