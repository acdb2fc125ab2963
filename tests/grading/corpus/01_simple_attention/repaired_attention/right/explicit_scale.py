# explicit scale
# points: 3

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1), dropout_p=0.0, scale=1 / math.sqrt(query.size(-1)))
