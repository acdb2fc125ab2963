# `allowed` with a single row is ignored.
# points: 3
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None and len(allowed) > 1:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, torch.finfo(dtype).min)

