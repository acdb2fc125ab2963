# Brings the heads to the front with reshape instead of transpose, which mixes tokens and heads.
# points: 0
def grouped_attention(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1], key.shape[2]
    q = query.reshape(batch, heads, queries, size)
    k = key.reshape(batch, kv_heads, keys, size).repeat_interleave(heads // kv_heads, dim=1)
    v = value.reshape(batch, kv_heads, keys, -1).repeat_interleave(heads // kv_heads, dim=1)
    mask = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        mask = mask & attention_mask.bool()[:, None, None]
    scores = q @ k.transpose(-2, -1) / math.sqrt(size)
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1) * mask
    return (weights @ v).reshape(batch, queries, heads, -1)
