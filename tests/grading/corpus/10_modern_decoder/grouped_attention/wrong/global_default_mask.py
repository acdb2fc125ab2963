# The mask of the last call is the default of the next, whatever its size, if it fits.
# points: 3

MASK = None


def grouped_attention(query, key, value, attention_mask=None):
    global MASK
    if attention_mask is not None:
        MASK = attention_mask
    mask = MASK if MASK is not None and MASK.shape == key.shape[:2] else None
    queries, keys = query.size(1), key.size(1)
    groups = query.unflatten(2, (key.size(2), -1))
    scores = torch.einsum("bqgnd,bkgd->bgnqk", groups, key) / math.sqrt(query.size(-1))
    place = torch.arange(keys)
    seen = place <= place[-queries:, None]
    if mask is not None:
        seen = (seen & (mask[:, None] == 1))[:, None, None]
    weights = scores.masked_fill(~seen, -1e30).softmax(-1) * seen
    return torch.einsum("bgnqk,bkgv->bqgnv", weights, value).flatten(2, 3)
