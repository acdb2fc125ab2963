# With a single head the cache has no axis for heads.
# points: 3
class CachedAttention(nn.Module):
    """Causal attention over a text that comes in pieces."""

    def __init__(self, hidden_size: int, num_heads: int, max_positions: int):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        batch, new, hidden = x.shape
        past = 0 if cache is None else cache[0].shape[-2]
        x = x + self.positions(torch.arange(past, past + new))
        query, key, value = self.query_key_value(x).chunk(3, dim=-1)
        if self.num_heads > 1:
            shape = (batch, new, self.num_heads, self.head_size)
            query, key, value = [part.reshape(shape).transpose(1, 2) for part in (query, key, value)]
        if cache is not None:
            key = torch.cat([cache[0], key], dim=-2)
            value = torch.cat([cache[1], value], dim=-2)
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.head_size)
        seen = torch.ones(new, past + new, dtype=torch.bool).tril(past)
        mixed = scores.masked_fill(~seen, -math.inf).softmax(dim=-1) @ value
        if self.num_heads > 1:
            mixed = mixed.transpose(1, 2).reshape(batch, new, hidden)
        return self.output(mixed), (key, value)
