# loop-over-heads
# points: 5

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.query, self.key, self.value, self.output = [nn.Linear(a, hidden_size) for a in (hidden_size, source_size, source_size, hidden_size)]
        self.heads = num_attention_heads
        self.attn_drop = nn.Dropout(p=dropout)
    def forward(self, hidden_states, source_states, source_mask=None):
        qs = self.query(hidden_states).chunk(self.heads, -1)
        ks = self.key(source_states).chunk(self.heads, -1)
        vs = self.value(source_states).chunk(self.heads, -1)
        ws, cs = [], []
        for q, k, v in zip(qs, ks, vs):
            s = torch.baddbmm(torch.zeros(q.size(0), q.size(1), k.size(1)), q, k.mT, alpha=q.size(-1) ** -0.5)
            if source_mask is not None:
                s = s + torch.where(source_mask, 0.0, -1e30).unsqueeze(1)
            w = torch.softmax(s, 2)
            if source_mask is not None:
                w = w * source_mask.unsqueeze(1).float()
            ws.append(w)
            cs.append(torch.bmm(self.attn_drop(w), v))
        return self.output(torch.cat(cs, -1)), torch.stack(ws, 1)
