# query scaled twice
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    query = query / math.sqrt(query.size(-1))
    m = None if attention_mask is None else attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
