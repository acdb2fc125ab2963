# The lowest number is that of the dtype, but the result is float32 always.
# points: 3
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    places = torch.arange(tokens)
    if left:
        seen = places >= tokens - lengths[:, None]
    else:
        seen = places < lengths[:, None]
    seen = seen[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return torch.where(seen, 0.0, torch.finfo(dtype).min)
