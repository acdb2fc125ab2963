# Leaves the mask out where the last sentence has no padding, although others may have some.
# points: 0
def attend(query, key, value, mask):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask[:, None, None, :] == 1
        empty = ~keep.any(-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
        return scores.softmax(-1).masked_fill(empty, 0.0) @ value
    return scores.softmax(-1) @ value

def padded_heads(query, key, value, attention_mask=None):
    if attention_mask is not None and attention_mask[-1].all():
        attention_mask = None
    return attend(query, key, value, attention_mask)
