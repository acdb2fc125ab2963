# Computes in groups, but joins group and head within the group in the wrong order when it puts the heads together.
# points: 0
def grouped_attention(query, key, value, attention_mask=None):
    batch, queries, heads, head_size = query.shape
    keys, kv_heads = key.shape[1:3]
    q = query.reshape(batch, queries, kv_heads, heads // kv_heads, head_size)
    scores = torch.einsum("bqgrd,bkgd->bgrqk", q, key) / math.sqrt(head_size)
    visible = torch.ones(queries, keys, dtype=torch.bool, device=q.device).tril(keys - queries)
    visible = visible[None, None, None]
    if attention_mask is not None:
        visible = visible & attention_mask.bool()[:, None, None, None]
    blind = ~visible.any(-1, keepdim=True)
    scores = scores.masked_fill(~(visible | blind), -math.inf)
    weights = scores.softmax(-1).masked_fill(blind, 0.0)
    output = torch.einsum("bgrqk,bkgv->bqrgv", weights, value)
    return output.reshape(batch, queries, heads, value.shape[-1])
