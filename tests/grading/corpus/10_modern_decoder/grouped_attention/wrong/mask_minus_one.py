# Adds (mask - 1) times a large number, in the dtype of the mask: in uint8, 0 - 1 is 255.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    q = query.transpose(1, 2)
    k = key.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    v = value.repeat_interleave(heads // kv_heads, dim=2).transpose(1, 2)
    scores = q @ k.mT / math.sqrt(head_size)
    seen = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)[None, None]
    scores = scores.masked_fill(~seen, -1e9)
    if attention_mask is not None:
        scores = scores + (attention_mask - 1)[:, None, None, :] * 1e9
        seen = seen & attention_mask.bool()[:, None, None, :]
    weights = scores.softmax(dim=-1) * seen.any(dim=-1, keepdim=True)
    return (weights @ v).transpose(1, 2)
