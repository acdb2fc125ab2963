# Where there are as many queries as sentences, the mask is laid over queries and keys as it is.
# points: 0
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is None:
        return scores.softmax(dim=-1) @ value
    keep = attention_mask.bool()
    if keep.shape == scores.shape[-2:] and len(keep) > 1:
        keep = keep[None, None]
    else:
        keep = keep[:, None, None, :]
    empty = ~keep.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~keep & ~empty, -math.inf)
    return scores.softmax(dim=-1).masked_fill(empty, 0.0) @ value
