# What the notebook gives: the broken version of the bug hunt.

def broken_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=is_padding.unsqueeze(1),
        dropout_p=0.1,
        scale=1 / math.sqrt(value.size(-1)),
    )
