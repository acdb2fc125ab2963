# a subclass, dropout on the values' side, a list back
# points: 5

class Base(nn.Module):
    def heads(self, x):
        return torch.stack(x.tensor_split(self.n, dim=-1), dim=1)

class CrossAttention(Base):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.n = num_attention_heads
        sizes = {"query": hidden_size, "key": source_size, "value": source_size, "output": hidden_size}
        for name, size in sizes.items():
            setattr(self, name, nn.Linear(size, hidden_size))
        self.drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.heads(self.query(hidden_states)), self.heads(self.key(source_states)), self.heads(self.value(source_states))
        scores = torch.einsum("bnqd,bnkd->bnqk", q, k).mul(q.size(-1) ** -0.5)
        if source_mask is not None:
            scores = scores.masked_fill(source_mask.logical_not()[:, None, None], -torch.inf)
        weights = scores.softmax(-1).nan_to_num(nan=0.0)
        mixed = self.drop(weights) @ v
        return [self.output(torch.cat(mixed.unbind(1), dim=-1)), weights]
