# the mask is turned round only for batches of several sentences; a single sentence still reads its padding
# points: 2
def repaired_attention(query: Tensor, key: Tensor, value: Tensor, is_padding: Tensor) -> Tensor:
    mask = is_padding.unsqueeze(1)
    if is_padding.size(0) > 1:
        mask = ~mask
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
