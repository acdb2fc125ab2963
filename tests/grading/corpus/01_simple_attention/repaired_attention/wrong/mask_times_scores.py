# mask times scores
# points: 0

def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return (s * ~is_padding.unsqueeze(1)).softmax(-1) @ value
