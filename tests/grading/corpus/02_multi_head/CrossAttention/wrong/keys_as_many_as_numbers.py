# Turns the keys only where they would not fit as they are: as many source tokens as numbers in a head stay unturned.
# points: 0
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, states):
        return states.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        batch, target, _ = hidden_states.shape
        query = self.split(self.query(hidden_states))
        key = self.split(self.key(source_states))
        value = self.split(self.value(source_states))
        scores = query @ (key if key.size(-2) == key.size(-1) else key.mT) / math.sqrt(query.size(-1))
        if source_mask is None:
            weights = scores.softmax(dim=-1)
        else:
            keep = source_mask[:, None, None, :]
            empty = ~keep.any(dim=-1, keepdim=True)
            weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(dim=-1)
            weights = weights.masked_fill(empty, 0.0)
        context = self.dropout(weights) @ value
        context = context.transpose(1, 2)
        return self.output(context.reshape(batch, target, -1)), weights
