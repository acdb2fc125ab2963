# eq False
# points: 3

repaired_attention = lambda query, key, value, is_padding: F.scaled_dot_product_attention(query, key, value, attn_mask=is_padding.eq(False)[:, None])
