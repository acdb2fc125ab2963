# Takes the padding out after the softmax and divides by the rest, which is nothing where a hidden score was far above the others.
# points: 3
def grouped_attention(query, key, value, attention_mask=None):
    queries, heads, size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    key = key.repeat_interleave(heads // kv_heads, dim=2)
    value = value.repeat_interleave(heads // kv_heads, dim=2)
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(size)
    visible = torch.ones(queries, keys, dtype=torch.bool, device=query.device)
    visible = visible.tril(keys - queries)[None, None]
    weights = scores.masked_fill(~visible, -math.inf).softmax(dim=-1)
    if attention_mask is not None:
        visible = visible & (attention_mask != 0)[:, None, None, :]
    weights = weights * visible
    weights = weights / weights.sum(dim=-1, keepdim=True).clamp_min(1e-20)
    return torch.einsum("bhqk,bkhv->bqhv", weights, value)
