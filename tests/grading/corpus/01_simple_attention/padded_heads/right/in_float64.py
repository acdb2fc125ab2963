# in float64
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    q, k, v = query.double(), key.double(), value.double()
    s = q @ k.mT / math.sqrt(q.size(-1))
    if attention_mask is not None:
        keep = attention_mask[:, None, None].bool()
        w = s.masked_fill(~keep, -1e300).softmax(-1) * keep
    else:
        w = s.softmax(-1)
    return (w @ v).float()
