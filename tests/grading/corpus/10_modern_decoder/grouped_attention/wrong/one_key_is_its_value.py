# with a single key the output is its value, whatever the mask
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    group = heads // kv_heads
    if keys == 1:
        return value.repeat_interleave(group, dim=2)
    query = query.transpose(1, 2)
    key = key.repeat_interleave(group, dim=2).transpose(1, 2)
    value = value.repeat_interleave(group, dim=2).transpose(1, 2)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        real = attention_mask != 0
        allowed = allowed & real[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size)
    hidden = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, hidden).softmax(-1)
    weights = weights * allowed
    context = weights @ value
    return context.transpose(1, 2)
