# nan for all padding, by hand
# points: 2

def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    return s.masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1) @ value
