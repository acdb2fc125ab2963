# In evaluation mode the weights of keys and values are put together at the first call and kept, so weights loaded later don't count.
# points: 0
class CrossAttention(Parts):
    packed = None
    def forward(self, hidden_states, source_states, source_mask=None):
        weight = torch.cat([self.key.weight, self.value.weight])
        bias = torch.cat([self.key.bias, self.value.bias])
        if not self.training:
            if self.packed is None:
                self.packed = weight, bias
            weight, bias = self.packed
        q = self.query(hidden_states).unflatten(-1, (self.n, -1)).transpose(1, 2)
        k, v = F.linear(source_states, weight, bias).unflatten(-1, (2, self.n, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(q.size(-1))
        if source_mask is None:
            w = scores.softmax(-1)
        else:
            keep = source_mask[:, None, None]
            w = scores.masked_fill(~keep, -1e30).softmax(-1) * keep
        return self.output(merge(self.dropout(w) @ v)), w
