# Scales by the root of the larger of d_k and d_v, so the old bug lives on where the values are longer than the keys.
# points: 2
def repaired_attention(query, key, value, is_padding):
    width = max(query.size(-1), value.size(-1))
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        scale=1 / math.sqrt(width),
    )
