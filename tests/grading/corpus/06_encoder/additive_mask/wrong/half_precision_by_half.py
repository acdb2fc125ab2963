# half precision by half()
# points: 3

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    p = torch.arange(tokens)
    keep = (p >= tokens - lengths[:, None]) if left else (p < lengths[:, None])
    keep = keep[:, None, None]
    if allowed is not None: keep = keep.logical_and(allowed)
    return torch.where(keep, 0.0, -3.4028234663852886e38).to(dtype)
