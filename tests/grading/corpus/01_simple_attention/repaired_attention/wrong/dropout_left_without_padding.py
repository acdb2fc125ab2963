# Has a shorter call for batches without any padding, in which dropout is still alive.
# points: 2
def repaired_attention(query, key, value, is_padding):
    if is_padding.any():
        return F.scaled_dot_product_attention(
            query, key, value, attn_mask=~is_padding.unsqueeze(1)
        )
    return F.scaled_dot_product_attention(query, key, value, dropout_p=0.1)
