# dropped weights are returned
# points: 4

class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if source_mask is not None:
            m = source_mask[:, None, None]
            s = s.masked_fill(~m, -1e30)
            w = self.dropout(s.softmax(-1) * m)
        else:
            w = self.dropout(s.softmax(-1))
        return self.output(merge(w @ v)), w
