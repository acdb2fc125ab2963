# Folds heads into the batch and repeats the mask as a whole, so heads of one sentence get the masks of others.
# points: 0

def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    batch, heads, queries, d_k = query.shape
    q = query.reshape(batch * heads, queries, d_k)
    k = key.reshape(batch * heads, key.size(2), d_k)
    v = value.reshape(batch * heads, value.size(2), value.size(3))
    mask = None
    if attention_mask is not None:
        mask = attention_mask.bool().repeat(heads, 1).unsqueeze(1)
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return out.reshape(batch, heads, queries, -1)
