# library with expanded mask
# points: 5

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is None:
        attention_mask = torch.ones(key.size(0), key.size(2))
    mask = attention_mask.bool().view(-1, 1, 1, key.size(2)).expand(-1, query.size(1), query.size(2), -1)
    return F.scaled_dot_product_attention(query, key, value, mask)
