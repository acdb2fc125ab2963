# dropout by hand
# points: 0

def repaired_attention(query, key, value, is_padding):
    s = query @ key.transpose(1, 2) / math.sqrt(query.size(-1))
    w = F.dropout(s.masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1), 0.1)
    return w @ value
