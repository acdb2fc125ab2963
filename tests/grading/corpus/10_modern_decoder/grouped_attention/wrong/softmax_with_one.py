# Gets the zeros from "softmax off by one", with an extra 1 in the denominator, which changes every other query, too.
# points: 0
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    sink = torch.zeros_like(scores[..., :1])
    scores = torch.cat([scores.masked_fill(~allowed, torch.finfo(scores.dtype).min), sink], dim=-1)
    weights = scores.softmax(dim=-1)[..., :-1]
    return (weights @ value).transpose(1, 2)
