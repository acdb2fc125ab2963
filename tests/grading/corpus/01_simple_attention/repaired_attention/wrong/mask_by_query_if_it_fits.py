# Gives the mask an axis only where it would not fit as it is, which it does for as many queries as sentences.
# points: 0
def repaired_attention(query, key, value, is_padding):
    mask = ~is_padding
    if mask.shape != (query.size(1), key.size(1)) or len(mask) == 1:
        mask = mask.unsqueeze(1)
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)
