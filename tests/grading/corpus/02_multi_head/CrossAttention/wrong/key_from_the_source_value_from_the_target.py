# key from the source, value from the target
# points: 0

class CrossAttention(Parts):
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, _ = self.three(hidden_states, source_states)
        v = self.value(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        w = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
        return self.output(merge(w @ v)), w
