# masks the value only and renormalises by length
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    w = s.softmax(-1)
    if attention_mask is not None:
        m = attention_mask[:, None, None, :]
        w = w * m / m.sum(-1, keepdim=True).clamp(min=1)
    return w @ value
