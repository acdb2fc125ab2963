# Dropout works in place on the softmax, a copy of which is returned: no backward pass in training.
# points: 4
class CrossAttention(Parts):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__(hidden_size, source_size, num_attention_heads, dropout)
        self.dropout = nn.Dropout(dropout, inplace=True)

    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is not None:
            scores = scores.masked_fill(~source_mask[:, None, None], -math.inf)
            scores = scores.masked_fill(~source_mask.any(-1)[:, None, None, None], 0.0)
        weights = scores.softmax(-1)
        if source_mask is not None:
            weights = weights.masked_fill(~source_mask.any(-1)[:, None, None, None], 0.0)
        before = weights.clone()
        return self.output(merge(self.dropout(weights) @ v)), before
