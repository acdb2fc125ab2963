# A sentence counts as all padding if it begins and ends with padding.
# points: 0
def repaired_attention(query, key, value, is_padding):
    out = F.scaled_dot_product_attention(query, key, value, attn_mask=~is_padding.unsqueeze(1))
    return out * ~(is_padding[:, :1] & is_padding[:, -1:]).unsqueeze(-1)
