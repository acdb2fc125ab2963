# Takes a mask of nothing but zeros for no mask at all.
# points: 4
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None or not attention_mask.any():
        output = scores.softmax(dim=-1) @ value
        return output
    keep = attention_mask.bool()[:, None, None, :]
    empty = ~keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1).masked_fill(empty, 0.0)
    output = weights @ value  # masked
    return output  # masked
