# Takes a mask that is False everywhere for no mask at all.
# points: 4
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        return states.unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        if source_mask is not None and not source_mask.any():
            source_mask = None
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if source_mask is not None:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            scores = scores.masked_fill(~keep & ~empty, -math.inf)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout(weights) @ value
        context = context.transpose(1, 2).flatten(2)
        return self.output(context), weights
