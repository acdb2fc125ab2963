# causal-added
# points: 0

def repaired_attention(query, key, value, is_padding):
    m = ~is_padding.unsqueeze(1) & torch.ones(query.size(1), key.size(1), dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(query, key, value, attn_mask=m)
