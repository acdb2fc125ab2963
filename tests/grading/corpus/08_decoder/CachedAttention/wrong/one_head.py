# one head
# points: 0

class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, cache=None):
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + x.size(1)]
        q, k, v = (t.unsqueeze(1) for t in self.query_key_value(x).chunk(3, dim=-1))
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        mask = torch.ones(q.size(2), k.size(2), dtype=torch.bool).tril(seen)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.output(y.squeeze(1)), (k, v)
