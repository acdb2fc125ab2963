# Repairs only the mask: the dropout is halved but alive, and the scale is still that of the values.
# points: 0

def repaired_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding[:, None, :],
        dropout_p=0.05,
        scale=value.size(-1) ** -0.5,
    )
