# In training mode the weights are dropped under no_grad, so queries and keys get no gradient.
# points: 4
class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is None:
            w = scores.softmax(-1)
        else:
            keep = source_mask[:, None, None]
            w = scores.masked_fill(~keep, -1e30).softmax(-1) * keep

        with torch.no_grad():
            dropped = self.dropout(w)
        return self.output(merge((dropped if self.training else w) @ v)), w
