# left counts only where allowed isn't given
# points: 3

def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    real = places < lengths[:, None]
    if left and allowed is None:
        real = places >= tokens - lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.finfo(dtype).min
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)
