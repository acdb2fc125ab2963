# For a source that is all padding it sets the context to zero, but the weights it returns are equal shares.
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

    def split(self, x):
        b, t, h = x.shape
        return x.view(b, t, self.num_attention_heads, h // self.num_attention_heads).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k = self.split(self.query(hidden_states)), self.split(self.key(source_states))
        v = self.split(self.value(source_states))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        if source_mask is not None:
            scores = scores.masked_fill(~source_mask[:, None, None, :], -1e9)
        weights = scores.softmax(dim=-1)
        context = self.dropout(weights) @ v
        if source_mask is not None:
            context = context * source_mask.any(dim=-1)[:, None, None, None]
        return self.output(context.transpose(1, 2).flatten(2)), weights
