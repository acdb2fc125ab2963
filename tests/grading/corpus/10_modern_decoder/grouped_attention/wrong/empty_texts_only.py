# Zeros only where a whole text is padding, not for a query before the first real token.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    queries, keys = query.shape[1], key.shape[1]
    group = query.shape[2] // key.shape[2]
    q = query.permute(0, 2, 1, 3)
    k = key.repeat_interleave(group, dim=2).permute(0, 2, 3, 1)
    v = value.repeat_interleave(group, dim=2).permute(0, 2, 1, 3)
    scores = q @ k / math.sqrt(query.shape[-1])
    place = torch.arange(keys)
    allowed = place <= place[keys - queries :, None]
    allowed = allowed[None, None]
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    weights = scores.masked_fill(~allowed, -1e9).softmax(-1)
    if attention_mask is not None:
        weights = weights * (attention_mask.sum(1) > 0)[:, None, None, None]
    return (weights @ v).permute(0, 2, 1, 3)
