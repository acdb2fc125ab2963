# naive fill and no dropout
# points: 3

class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.three(hidden_states, source_states)
        s = q @ k.transpose(2, 3) / math.sqrt(q.size(-1))
        if source_mask is not None:
            s = s.masked_fill(~source_mask[:, None, None], float("-inf"))
        w = s.softmax(-1)
        return self.output(merge(w @ v)), w
