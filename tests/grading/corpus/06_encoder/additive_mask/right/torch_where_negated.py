# torch.where, negated
# points: 4

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    start = (tokens - lengths if left else torch.zeros_like(lengths))[:, None]
    stop = start + lengths[:, None]
    place = torch.arange(tokens)[None]
    hidden = ((place < start) | (place >= stop)).view(-1, 1, 1, tokens)
    if allowed is not None:
        hidden = hidden | allowed.logical_not()
    return hidden.to(dtype) * torch.finfo(dtype).min
