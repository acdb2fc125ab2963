# scale_d_v and ignored mask
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    return (query @ key.transpose(-2, -1) / math.sqrt(value.size(-1))).softmax(-1) @ value
