# causal in the library
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)
