# where on the output
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    s = s.masked_fill(attention_mask[:, None, None] == 0, -math.inf)
    o = s.softmax(-1) @ value
    return torch.where(attention_mask.any(-1)[:, None, None, None], o, 0.)
