# -1e9 and zeroed rows
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.mT / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    m = attention_mask[:, None, None].to(s.dtype)
    return (s + (1 - m) * -1e9).softmax(-1) * m @ value
