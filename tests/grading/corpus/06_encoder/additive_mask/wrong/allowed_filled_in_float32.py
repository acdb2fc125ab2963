# What isn't allowed gets the lowest number of float32, in float64, too.
# points: 3
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):

    place = torch.arange(tokens)
    real = place >= tokens - lengths[:, None] if left else place < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = torch.zeros(len(lengths), 1, 1, tokens, dtype=dtype).masked_fill(~real[:, None, None], low)
    if allowed is not None:
        mask = mask + torch.zeros(allowed.shape).masked_fill(~allowed, torch.finfo(torch.float32).min).to(dtype)
        mask = mask.clamp(min=low)
    return mask
