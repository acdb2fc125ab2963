# The joined mask is kept by everything but the values of `allowed`.
# points: 3
_kept = {}


def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):

    place = torch.arange(tokens)
    real = place >= tokens - lengths[:, None] if left else place < lengths[:, None]
    keep = real[:, None, None, :]
    if allowed is not None:
        key = tuple(lengths.tolist()), tokens, left, tuple(allowed.shape)
        keep = _kept.setdefault(key, keep & allowed)
    return torch.zeros(keep.shape, dtype=dtype).masked_fill(~keep, torch.finfo(dtype).min)
