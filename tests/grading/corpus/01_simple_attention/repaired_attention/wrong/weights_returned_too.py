# weights returned too
# points: 0

def repaired_attention(query, key, value, is_padding):
    o = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
    return o, None
