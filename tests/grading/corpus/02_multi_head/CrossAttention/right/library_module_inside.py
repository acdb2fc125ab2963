# library module inside
# points: 5

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.h, self.p = num_attention_heads, dropout
        for name, size in dict(query=hidden_size, key=source_size, value=source_size, output=hidden_size).items():
            setattr(self, name, nn.Linear(size, hidden_size))
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, d = hidden_states.shape
        s = source_states.shape[1]
        q = self.query(hidden_states).reshape(b, t, self.h, d // self.h)
        k = self.key(source_states).reshape(b, s, self.h, d // self.h)
        v = self.value(source_states).reshape(b, s, self.h, d // self.h)
        scores = torch.einsum("bthe,bshe->bhts", q, k) / (d // self.h) ** 0.5
        if source_mask is not None:
            scores = scores + torch.zeros(b, 1, 1, s).masked_fill(~source_mask[:, None, None], torch.finfo(scores.dtype).min)
            w = scores.softmax(-1) * source_mask[:, None, None]
        else:
            w = scores.softmax(-1)
        c = torch.einsum("bhts,bshe->bthe", F.dropout(w, self.p, self.training), v).reshape(b, t, d)
        return self.output(c), w
