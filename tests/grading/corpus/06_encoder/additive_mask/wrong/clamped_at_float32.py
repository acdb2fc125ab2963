# Two lowest numbers are added and clamped at the lowest one of float32.
# points: 3
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    low = torch.finfo(dtype).min
    mask = torch.zeros(real.shape, dtype=dtype).masked_fill(~real, low)[:, None, None]
    if allowed is not None:
        mask = mask + torch.zeros(allowed.shape, dtype=dtype).masked_fill(~allowed, low)
        mask = mask.float().clamp(min=torch.finfo(torch.float32).min).to(dtype)
    return mask

