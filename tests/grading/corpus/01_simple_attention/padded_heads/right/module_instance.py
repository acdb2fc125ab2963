# module instance
# points: 5

class A(torch.nn.Module):
    def forward(self, query, key, value, attention_mask=None):
        s = query @ key.mT * query.size(-1) ** -.5
        if attention_mask is None:
            return s.softmax(-1) @ value
        hidden = (attention_mask == 0)[:, None, None]
        w = s.masked_fill(hidden, torch.finfo(s.dtype).min).softmax(-1).masked_fill(hidden, 0)
        return w @ value
padded_heads = A().eval()
