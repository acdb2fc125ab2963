# Leaves the mask out where the last text has no padding, although others may have some.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    group = heads // kv_heads
    query = query.transpose(1, 2)  # [batch, heads, queries, head_size]
    key = key.repeat_interleave(group, dim=2).transpose(1, 2)  # [batch, heads, keys, head_size]
    value = value.repeat_interleave(group, dim=2).transpose(1, 2)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        real = attention_mask != 0
        if real[-1].all():
            real = torch.ones_like(real)
        allowed = allowed & real[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size)
    hidden = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, hidden).softmax(-1)
    weights = weights * allowed  # a row without keys: all 0
    context = weights @ value
    return context.transpose(1, 2)
