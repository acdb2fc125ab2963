# keys and values of the first source are kept for ever
# points: 0

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h = num_attention_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(source_size, hidden_size)
        self.value = nn.Linear(source_size, hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.drop = nn.Dropout(dropout)
        self.cache = None

    def heads(self, t):
        return t.view(t.size(0), t.size(1), self.h, -1).transpose(1, 2)

    def forward(self, hidden_states, source_states, source_mask=None):
        if self.cache is None:
            self.cache = self.heads(self.key(source_states)), self.heads(self.value(source_states))
        key, value = self.cache
        q = self.heads(self.query(hidden_states))
        s = q @ key.mT / math.sqrt(q.size(-1))
        empty = None
        if source_mask is not None:
            empty = ~source_mask.any(-1)[:, None, None, None]
            s = s.masked_fill(~source_mask[:, None, None] & ~empty, float("-inf"))
        w = s.softmax(-1)
        w = w if empty is None else w.masked_fill(empty, 0.0)
        c = (self.drop(w) @ value).transpose(1, 2).reshape(hidden_states.shape)
        return self.output(c), w
