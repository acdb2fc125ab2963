# the first `allowed` of a size is kept
# points: 3

masks = {}

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens).expand(len(lengths), -1)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None]
    if allowed is not None:
        seen = seen & masks.setdefault(allowed.shape, allowed)
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)
