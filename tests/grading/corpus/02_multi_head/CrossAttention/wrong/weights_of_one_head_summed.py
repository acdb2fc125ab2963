# weights of one head, summed
# points: 4

class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.mT / math.sqrt(q.size(-1))
        w = s.softmax(-1)
        if source_mask is not None:
            m = source_mask[:, None, None]
            w = torch.where(m, s, torch.tensor(-1e30)).softmax(-1) * m
        return self.output(merge(self.dropout(w) @ v)), w.sum(1)
