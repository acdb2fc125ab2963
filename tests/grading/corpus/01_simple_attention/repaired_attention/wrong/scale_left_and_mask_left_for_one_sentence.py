# The scale is still that of d_v; the mask is still the wrong way round for a batch of one sentence
# points: 1
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    mask = is_padding if len(is_padding) == 1 else ~is_padding
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask=mask.unsqueeze(1), dropout_p=0.0, scale=1 / math.sqrt(value.size(-1))
    )
