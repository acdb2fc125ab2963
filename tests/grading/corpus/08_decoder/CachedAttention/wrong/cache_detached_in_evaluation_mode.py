# detaches the cache in evaluation mode
# points: 3
class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.num_heads = num_heads
        self.max_positions = max_positions
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def forward(self, x, cache=None):
        batch, new, hidden = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        x = x + self.positions.weight[past:past + new]
        mixed = self.query_key_value(x).view(batch, new, 3, self.num_heads, -1)
        query, key, value = mixed.permute(2, 0, 3, 1, 4)
        if cache is not None:
            key = torch.cat([cache[0], key], dim=2)
            value = torch.cat([cache[1], value], dim=2)
        cache = (key, value) if self.training else (key.detach(), value.detach())
        allowed = torch.ones(new, past + new, dtype=torch.bool, device=x.device).tril(past)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
        context = (weights @ value).transpose(1, 2).reshape(batch, new, hidden)
        return self.output(context), cache
