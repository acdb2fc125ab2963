# the last position for all new tokens
# points: 3

class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        b, n, d = x.shape
        h = self.num_heads
        seen = 0 if cache is None else cache[0].size(2)
        x = x + (self.positions.weight[:n] if cache is None else self.positions.weight[seen])
        q, k, v = self.query_key_value(x).chunk(3, -1)
        q = q.view(b, n, h, d // h).transpose(1, 2)
        k = k.view(b, n, h, d // h).transpose(1, 2)
        v = v.view(b, n, h, d // h).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], 2)
            v = torch.cat([cache[1], v], 2)
        scores = q @ k.transpose(2, 3) / math.sqrt(d // h)
        mask = torch.ones(n, seen + n, dtype=torch.bool).tril(seen)
        p = scores.masked_fill(~mask, -math.inf).softmax(-1)
        o = (p @ v).transpose(1, 2).reshape(b, n, d)
        return self.output(o), (k, v)
