# where no cache is given, the class goes on with the last one of any text
# points: 0

class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads = num_heads

    kept = None

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        result = self.run(x, CachedAttention.kept if cache is None else cache)
        CachedAttention.kept = tuple(part.detach() for part in result[1])
        return result

    def run(self, x, cache):
        """Map [batch, new, hidden] to the same shape; return (output, cache)."""
        new = x.size(1)
        seen = 0 if cache is None else cache[0].size(2)
        x = x + self.positions.weight[seen : seen + new]
        query, key, value = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        allowed = torch.ones(new, seen + new, dtype=torch.bool).tril(seen)
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)
