# other-registration-order-einsum
# points: 5

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.output = nn.Linear(hidden_size, hidden_size)
        for n in ("value", "key"):
            setattr(self, n, nn.Linear(source_size, hidden_size))
        self.query = nn.Linear(hidden_size, hidden_size)
        self.n, self.p = num_attention_heads, dropout
    def forward(self, hidden_states, source_states, source_mask=None):
        q, k, v = self.query(hidden_states), self.key(source_states), self.value(source_states)
        q, k, v = (t.reshape(*t.shape[:2], self.n, t.shape[-1] // self.n) for t in (q, k, v))
        s = torch.einsum("bthd,bshd->bhts", q, k) / q.shape[-1] ** .5
        if source_mask is not None:
            m = source_mask[:, None, None].expand_as(s)
            s = s.masked_fill(~m, torch.finfo(s.dtype).min)
            w = s.softmax(-1).masked_fill(~m, 0.)
        else:
            w = s.softmax(-1)
        c = torch.einsum("bhts,bshd->bthd", F.dropout(w, self.p, training=self.training), v)
        return self.output(c.flatten(-2)), w
