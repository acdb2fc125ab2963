# needs a mask: ones of the wrong size
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(query.shape[:2])
    k = attention_mask[:, None, None].bool()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=k)
