# Lets a sentence that is all padding look at everything, "so that there is no NaN".
# points: 2
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    """Attention in which padding takes no part: [batch, queries, d_v]."""
    all_padding = is_padding.all(dim=-1, keepdim=True)
    mask = (~is_padding | all_padding).unsqueeze(1)
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask, dropout_p=0.0, scale=1 / math.sqrt(key.size(-1))
    )
