# zeroed after softmax
# points: 0

def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return (s.softmax(-1) * ~is_padding.unsqueeze(1)) @ value
