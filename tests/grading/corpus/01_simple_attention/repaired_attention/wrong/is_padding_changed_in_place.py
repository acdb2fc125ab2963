# is_padding changed in place
# points: 0

def repaired_attention(query, key, value, is_padding):
    is_padding.logical_not_()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.unsqueeze(1))
