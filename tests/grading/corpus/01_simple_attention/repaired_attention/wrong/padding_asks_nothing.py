# Where there are as many queries as keys, padding is hidden as a query, too.
# points: 0
def repaired_attention(query, key, value, is_padding):
    keep = ~is_padding.unsqueeze(1)
    if query.size(1) == key.size(1):
        keep = keep & ~is_padding.unsqueeze(2)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=keep)
