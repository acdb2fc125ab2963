# any over the batch
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        s = s.masked_fill(~attention_mask.bool().any(0), -1e9)
    return s.softmax(-1) @ value
