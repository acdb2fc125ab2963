# Subtracts the largest score that any head has for a query: where a head lies far below it, its exponentials are all 0.
# points: 4
def padded_heads(query, key, value, attention_mask=None):
    scores = query @ key.mT / math.sqrt(query.size(-1))
    keep = torch.ones(len(key), key.size(2)) if attention_mask is None else attention_mask
    keep = keep[:, None, None, :].bool()
    scores = scores.masked_fill(~keep, -math.inf)
    largest = scores.amax(dim=(1, 3), keepdim=True).clamp(min=-1e30)
    e = (scores - largest).exp()
    return e / e.sum(-1, keepdim=True).clamp(min=1e-30) @ value
