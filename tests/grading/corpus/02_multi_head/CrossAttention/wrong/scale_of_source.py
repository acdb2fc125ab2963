# The scale comes from the width of the source's vectors.
# points: 0
class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        self.head_size = hidden_size // num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.head_size).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        q = self.split(self.query(hidden_states))
        k = self.split(self.key(source_states))
        v = self.split(self.value(source_states))
        scores = q @ k.transpose(-2, -1) / math.sqrt(source_states.size(-1) / self.heads)
        if source_mask is not None:
            mask = source_mask[:, None, None, :]
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        if source_mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        context = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)
        return self.output(context), weights
