# log of the mask (finite)
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s + (attention_mask[:, None, None].float() + 1e-3).log()
    return s.softmax(-1) @ value
