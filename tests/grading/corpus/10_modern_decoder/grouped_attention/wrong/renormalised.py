# A softmax over all keys, the hidden ones set to 0, and divided by what is left.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.size(1), key.size(1)
    group = query.size(2) // key.size(2)
    query = query.transpose(1, 2)
    key = key.transpose(1, 2).repeat_interleave(group, dim=1)
    value = value.transpose(1, 2).repeat_interleave(group, dim=1)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        allowed = allowed & (attention_mask != 0)[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    lowest = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1) * allowed
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
    return (weights @ value).transpose(1, 2)
