# values scaled
# points: 0

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value / math.sqrt(key.size(-1)), attn_mask=~is_padding.unsqueeze(1))
