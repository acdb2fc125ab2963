# masks queries by flattening to the front
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        n = int(attention_mask.sum(-1).min())
        s = s[..., :n]; value = value[..., :n, :]
    return s.softmax(-1) @ value
