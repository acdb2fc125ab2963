# mask changed in place
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        attention_mask[attention_mask.sum(-1) == 0] = 1
        s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    return s.softmax(-1) @ value
