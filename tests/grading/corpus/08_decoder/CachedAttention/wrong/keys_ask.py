# keys in place of queries
# points: 0

class CachedAttention(nn.Module):
    pass
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.h = num_heads
        pass

    def forward(self, x, cache=None):
        n = 0 if cache is None else cache[0].shape[2]
        B, T, D = x.shape
        x = x + self.positions.weight[n:n + T]
        q, k, v = [t.reshape(B, T, self.h, D // self.h).transpose(1, 2) for t in self.query_key_value(x).split(D, -1)]
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        s = k[:, :, -T:] @ k.mT / (D // self.h) ** 0.5
        s = s.masked_fill(torch.ones(T, n + T).triu(n + 1).bool(), -math.inf)
        w = s.softmax(-1)
        y = (w @ v).transpose(1, 2).reshape(B, T, D)
        return self.output(y), (k, v)
