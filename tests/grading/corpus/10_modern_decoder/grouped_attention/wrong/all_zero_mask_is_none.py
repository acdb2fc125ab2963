# Takes a mask without a single 1 for "no mask", so texts of nothing but padding are seen.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    group = query.shape[2] // key.shape[2]
    queries, keys = query.shape[1], key.shape[1]
    q = query.transpose(1, 2)
    k = key.repeat_interleave(group, dim=2).transpose(1, 2)
    v = value.repeat_interleave(group, dim=2).transpose(1, 2)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    visible = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)[None, None]
    if attention_mask is not None and attention_mask.any():
        visible = visible & attention_mask.bool()[:, None, None, :]
    scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~visible, 0.0)
    return (weights @ v).transpose(1, 2)
