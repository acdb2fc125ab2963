# 1 - is_padding
# points: 0

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=1 - is_padding.unsqueeze(1))
