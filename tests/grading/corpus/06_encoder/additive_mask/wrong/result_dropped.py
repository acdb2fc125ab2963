# what masked_fill returns is thrown away
# points: 0

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None]
    if allowed is not None:
        seen = seen & allowed
    mask = torch.zeros(seen.shape, dtype=dtype)
    mask.masked_fill(~seen, torch.finfo(dtype).min)
    return mask
