# lengths assume right padding
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        n = attention_mask.sum(-1)
        keep = torch.arange(key.size(2)) < n[:, None]
        s = s.masked_fill(~keep[:, None, None], -1e9)
    w = s.softmax(-1)
    if attention_mask is not None:
        w = w * (n > 0)[:, None, None, None]
    return w @ value
