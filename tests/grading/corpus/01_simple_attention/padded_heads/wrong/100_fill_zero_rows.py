# -100 fill zero rows
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    m = attention_mask[:, None, None]
    s = s.masked_fill(m == 0, -100.)
    return (s.softmax(-1) * m.any(-1, keepdim=True)) @ value
