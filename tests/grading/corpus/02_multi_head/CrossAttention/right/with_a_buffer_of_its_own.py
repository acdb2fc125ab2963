# with a buffer of its own
# points: 5

def attend(q, k, v, mask, p, training):
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros(mask.shape).masked_fill(~mask, -1e30)[:, None, None]
    w = s.softmax(-1)
    if mask is not None:
        w = w * mask[:, None, None]
    return F.dropout(w, p, training) @ v, w

class CrossAttention(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        assert hidden_size % num_attention_heads == 0
        self.h, self.d, self.p = num_attention_heads, hidden_size // num_attention_heads, dropout
        self.output = nn.Linear(in_features=hidden_size, out_features=hidden_size)
        self.value = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.key = nn.Linear(in_features=source_size, out_features=hidden_size)
        self.query = nn.Linear(in_features=hidden_size, out_features=hidden_size)
    def forward(self, hidden_states, source_states, source_mask=None):
        b, t, _ = hidden_states.shape
        q = self.query(hidden_states).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.key(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        v = self.value(source_states).view(b, -1, self.h, self.d).transpose(1, 2)
        c, w = attend(q, k, v, source_mask, self.p, self.training)
        return self.output(c.transpose(1, 2).contiguous().view(b, t, self.h * self.d)), w
