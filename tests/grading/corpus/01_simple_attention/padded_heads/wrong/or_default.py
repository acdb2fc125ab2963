# Writes `attention_mask or ones`, which raises an error for any mask with more than one number.
# points: 0

def padded_heads(
    query: Tensor, key: Tensor, value: Tensor, attention_mask: Tensor | None = None
) -> Tensor:
    """Attention in which padding has no weight: [batch, heads, queries, d_v]."""
    mask = attention_mask or torch.ones(key.size(0), key.size(2))
    keep = (mask == 1)[:, None, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
