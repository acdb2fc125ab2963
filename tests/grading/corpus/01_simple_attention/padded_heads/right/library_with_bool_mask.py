# library with bool mask
# points: 5

def padded_heads(q, k, v, m=None):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=None if m is None else (m == 1)[:, None, None, :])
