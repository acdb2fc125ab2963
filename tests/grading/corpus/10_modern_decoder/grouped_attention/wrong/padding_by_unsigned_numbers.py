# hides padding by adding (mask - 1) times a billion, which is positive for masks of uint8
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1:3]
    grouped = query.unflatten(2, (kv_heads, heads // kv_heads))
    scores = torch.einsum("bqhgd,bkhd->bhgqk", grouped, key) / math.sqrt(size)
    seen = torch.arange(keys) <= torch.arange(keys - queries, keys)[:, None]
    seen = seen[None, None, None]
    if attention_mask is not None:
        seen = seen & (attention_mask != 0)[:, None, None, None, :]
    empty = ~seen.any(-1, keepdim=True)
    hidden = scores
    if attention_mask is not None:
        hidden = hidden + ((attention_mask - 1) * 1e9)[:, None, None, None, :].to(scores.dtype)
    causal = torch.arange(keys) <= torch.arange(keys - queries, keys)[:, None]
    scores = hidden.masked_fill(~causal, -math.inf).masked_fill(empty, 0.0)
    weights = scores.softmax(-1).masked_fill(empty, 0.0)
    return torch.einsum("bhgqk,bkhv->bqhgv", weights, value).flatten(2, 3)
