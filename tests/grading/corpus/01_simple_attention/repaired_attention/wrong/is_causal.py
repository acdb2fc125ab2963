# is_causal
# points: 0

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)
