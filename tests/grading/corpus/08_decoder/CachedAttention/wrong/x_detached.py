# the input is cut off from autograd
# points: 3

class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    def forward(self, x, cache=None):
        x = x.detach().clone()
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x += self.positions.weight[seen : seen + new]
        q, k, v = (t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for t in self.query_key_value(x).chunk(3, -1))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        ok = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        return self.output(F.scaled_dot_product_attention(q, k, v, ok).transpose(1, 2).flatten(2)), (k, v)
