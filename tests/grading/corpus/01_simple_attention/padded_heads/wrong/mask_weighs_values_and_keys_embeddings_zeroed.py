# mask weighs values and keys (embeddings zeroed)
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is not None:
        m = attention_mask[:, None, :, None]
        key, value = key * m, value * m
    return (query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))).softmax(-1) @ value
