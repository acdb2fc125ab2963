# Finds the place of the queries from the number of real tokens, so padding shifts what they see.
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
        last = attention_mask.sum(1)[:, None, None, None]
        allowed = place <= last - queries + torch.arange(queries)[:, None]
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    weights = scores.masked_fill(~allowed, -1e9).softmax(-1)
    weights = weights * allowed.any(-1, keepdim=True)
    return (weights @ v).permute(0, 2, 1, 3)
