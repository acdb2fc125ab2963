# the mask of the first call of a size is kept in a global
# points: 0

_MASKS = {}

def repaired_attention(query, key, value, is_padding):
    size = (tuple(query.shape), tuple(key.shape))
    if size not in _MASKS:
        _MASKS[size] = ~is_padding[:, None, :]
    return F.scaled_dot_product_attention(query, key, value, attn_mask=_MASKS[size])
