# with a mask the weights are made by hand, and divided by a sum without gradients
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1:3]
    q = query.permute(0, 2, 1, 3)
    k = key.permute(0, 2, 1, 3).repeat_interleave(heads // kv_heads, 1)
    v = value.permute(0, 2, 1, 3).repeat_interleave(heads // kv_heads, 1)
    scores = q @ k.mT / size**0.5
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is None:
        weights = scores.masked_fill(~allowed, -math.inf).softmax(-1)
    else:
        allowed = allowed & attention_mask.bool()[:, None, None]
        scores = scores.masked_fill(~allowed, -1e30)
        weights = (scores - scores.amax(-1, keepdim=True)).exp() * allowed
        weights = weights / weights.sum(-1, keepdim=True).detach().clamp(min=1e-9)
    return (weights @ v).permute(0, 2, 1, 3)
