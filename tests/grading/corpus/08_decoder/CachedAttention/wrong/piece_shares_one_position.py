# With a cache all tokens of the new piece get the position of its first one.
# points: 3
class CachedAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.num_heads = num_heads
        self.max_positions = max_positions
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        new = x.shape[1]
        if cache is None:
            past, rows = 0, self.positions.weight[:new]
        else:
            past = cache[0].shape[2]
            rows = self.positions.weight[past]
        query, key, value = map(self.heads, self.query_key_value(x + rows).chunk(3, dim=-1))
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        mask = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        mixed = scores.masked_fill(~mask, -math.inf).softmax(-1) @ value
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)
