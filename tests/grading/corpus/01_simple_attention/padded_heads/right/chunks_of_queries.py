# chunks of queries
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    m = None if attention_mask is None else attention_mask.bool()[:, None, None]
    return torch.cat([F.scaled_dot_product_attention(q, key, value, attn_mask=m) for q in query.split(2, dim=2)], dim=2)
