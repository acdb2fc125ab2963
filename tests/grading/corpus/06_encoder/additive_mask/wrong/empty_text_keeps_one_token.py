# Lets every text have at least one token, in fear of a row with nothing to look at.
# points: 0
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    """What to add to scores [batch, heads, queries, tokens]: 0, or the lowest number."""
    places = torch.arange(tokens)
    lengths = lengths.clamp(min=1)
    if left:
        real = places >= (tokens - lengths)[:, None]
    else:
        real = places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed[None, None]
    mask = torch.zeros(seen.shape, dtype=dtype)
    mask[~seen] = torch.finfo(dtype).min
    return mask
