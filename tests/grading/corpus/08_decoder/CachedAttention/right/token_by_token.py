# token by token
# points: 4

class CachedAttention(nn.Module):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.output = nn.Linear(hidden_size, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, hidden_size * 3)
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.h = num_heads
        self.d = hidden_size // num_heads

    def forward(self, x, cache=None):
        outs = []
        for t in range(x.size(1)):
            past = 0 if cache is None else cache[0].size(2)
            token = x[:, t] + self.positions.weight[past]
            q, k, v = self.query_key_value(token).view(-1, 3, self.h, 1, self.d).unbind(1)
            if cache is not None:
                k = torch.cat((cache[0], k), -2)
                v = torch.cat((cache[1], v), -2)
            cache = (k, v)
            w = torch.softmax((q * k).sum(-1) / math.sqrt(self.d), -1)
            mixed = (w[..., None] * v).sum(-2)
            outs.append(self.output(mixed.flatten(1)))
        return torch.stack(outs, 1), cache
