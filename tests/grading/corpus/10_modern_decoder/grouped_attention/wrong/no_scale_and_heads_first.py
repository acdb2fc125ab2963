# two: no scale, and the output stays [batch, heads, queries, size]
# points: 0

def grouped_attention(query, key, value, attention_mask=None):
    r = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.repeat_interleave(r, 2).transpose(1, 2)
    value = value.repeat_interleave(r, 2).transpose(1, 2)
    s = query @ key.mT
    m = torch.ones(s.shape[-2:], dtype=torch.bool).tril(s.size(-1) - s.size(-2))
    if attention_mask is not None:
        m = m & (attention_mask[:, None, None] > 0)
    s = s.masked_fill(~m, -1e9)
    return (s.softmax(-1) * m) @ value
