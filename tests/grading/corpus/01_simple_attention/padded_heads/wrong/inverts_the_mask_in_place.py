# inverts the mask in place
# points: 0

def padded_heads(query, key, value, attention_mask=None):
    s = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return s.softmax(-1) @ value
    attention_mask.sub_(1).neg_()
    k = attention_mask[:, None, None] == 0
    e = ~k.any(-1, keepdim=True)
    return s.masked_fill(~k & ~e, -math.inf).softmax(-1).masked_fill(e, 0) @ value
