# Dropout is alive in evaluation, in pre-norm alone.
# points: 3
class RepairedLayer(nn.Module):
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
        return self.self_attn(x, x, x, need_weights=False)[0]
    def feed_forward(self, x):
        return self.linear2(F.relu(self.linear1(x)))
    def forward(self, x):
        if self.norm_first:
            x = x + F.dropout(self.attend(self.norm1(x)), self.dropout)
            return x + F.dropout(self.feed_forward(self.norm2(x)), self.dropout)
        x = self.norm1(x + F.dropout(self.attend(x), self.dropout, self.training))
        return self.norm2(x + F.dropout(self.feed_forward(x), self.dropout, self.training))

