# scores detached
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None, :].bool()
        empty = ~keep.any(-1, keepdim=True)
        s = s.masked_fill(~keep & ~empty, -math.inf)
    w = s.softmax(-1).detach()
    if attention_mask is not None:
        w = w.masked_fill(empty, 0.)
    return w @ value
