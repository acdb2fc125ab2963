# Remembers the last mask on the module and uses it again when a later call gives none.
# points: 0
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)
        self.keep = None

    def forward(self, hidden_states, source_states, source_mask=None):
        if source_mask is not None:
            self.keep = source_mask[:, None, None, :]
        q = self.query(hidden_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        k = self.key(source_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        v = self.value(source_states).unflatten(-1, (self.num_attention_heads, -1)).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if self.keep is not None:
            scores = scores.masked_fill(~self.keep, torch.finfo(scores.dtype).min)
        weights = scores.softmax(-1)
        if self.keep is not None:
            weights = weights.masked_fill(~self.keep, 0.0)
        context = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)
        return self.output(context), weights
