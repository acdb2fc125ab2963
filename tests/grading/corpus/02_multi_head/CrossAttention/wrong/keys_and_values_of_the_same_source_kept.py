# In evaluation mode keys and values are kept for as long as the very same source comes in, even if the weights have changed.
# points: 0
class CrossAttention(Parts):
    last = None
    def forward(self, hidden_states, source_states, source_mask=None):
        if self.training or torch.is_grad_enabled() or self.last is None or self.last[0] is not source_states:
            parts = self.three(hidden_states, source_states)
            self.last = (source_states, *parts[1:])
        q = self.query(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        _, k, v = self.last
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is None:
            w = scores.softmax(-1)
        else:
            keep = source_mask[:, None, None]
            w = scores.masked_fill(~keep, -1e30).softmax(-1) * keep
        return self.output(merge(self.dropout(w) @ v)), w
