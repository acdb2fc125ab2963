# Leaves the mask out where all sentences are all padding.
# points: 2
def repaired_attention(query, key, value, is_padding):
    if is_padding.all():
        return F.scaled_dot_product_attention(query, key, value)
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.0,
        scale=1 / math.sqrt(key.size(-1)),
    )
