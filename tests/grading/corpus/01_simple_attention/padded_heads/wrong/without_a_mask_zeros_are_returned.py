# without-a-mask-zeros-are-returned
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.zeros(key.size(0), key.size(2))
    keep = attention_mask.bool()[:, None, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
