# a sentence that is all padding is allowed to see its first key, so its output is a value instead of zeros
# points: 2
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    allowed = ~is_padding
    allowed[:, 0] |= is_padding.all(dim=1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=allowed.unsqueeze(1))
