# Treats a rate of 1 apart and drops everything then, in evaluation mode, too.
# points: 4
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.rate = dropout
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        query = self.split(self.query(hidden_states))
        key, value = self.split(self.key(source_states)), self.split(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = torch.softmax(scores, dim=-1)
        else:
            real = source_mask[:, None, None, :]
            nothing = ~real.any(-1, keepdim=True)
            weights = torch.softmax(scores.masked_fill(~(real | nothing), -math.inf), dim=-1)
            weights = weights.masked_fill(nothing, 0.0)
        if self.rate == 1:  # 1 / (1 - rate) would divide by zero
            dropped = weights * 0
        else:
            dropped = F.dropout(weights, self.rate, self.training)
        context = dropped @ value
        return self.output(context.transpose(1, 2).flatten(2)), weights
