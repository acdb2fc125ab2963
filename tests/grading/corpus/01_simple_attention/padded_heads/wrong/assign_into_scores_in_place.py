# assign into scores in place
# points: 4

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        for b in range(len(attention_mask)):
            s[b, :, :, attention_mask[b] == 0] = -1e9
    return s.softmax(-1) @ value
