# library dropout
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m, dropout_p=0.1)
