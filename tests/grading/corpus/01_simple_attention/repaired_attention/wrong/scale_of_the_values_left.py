# one bug left, the scale
# points: 2

def repaired_attention(query, key, value, is_padding):
    s = query @ key.mT / math.sqrt(value.size(-1))
    empty = is_padding.all(-1)[:, None, None]
    s = s.masked_fill(is_padding[:, None] & ~empty, float("-inf"))
    return s.softmax(-1).masked_fill(empty, 0.0) @ value
