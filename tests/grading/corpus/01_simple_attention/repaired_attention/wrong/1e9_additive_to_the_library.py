# -1e9 additive to the library
# points: 2

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.unsqueeze(1) * -1e9)
