# Takes the scale from size(1), the number of queries, in place of the third bug.
# points: 0
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.0,
        scale=1 / math.sqrt(query.size(1)),
    )
