# position by total from end
# points: 3

class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)


    def forward(self, x, cache=None):
        batch, new, _ = x.shape
        seen = 0 if cache is None else cache[0].size(2)
        start = max(seen - new + 1, 0)
        x = x + self.positions.weight[start : start + new]
        query, key, value = (
            part.view(batch, new, self.num_heads, self.head_size).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        )
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        scores = query @ key.transpose(-2, -1) / (self.head_size ** 0.5)
        hidden = torch.ones(new, key.size(2)).tril(seen) == 0
        scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(-1) @ value
        mixed = mixed.transpose(1, 2).reshape(batch, new, -1)
        return self.output(mixed), (key, value)
