# torch.where of two Python numbers gives float32, where the lowest float64 is minus infinity.
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
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    lowest = torch.tensor(torch.finfo(dtype).min, dtype=torch.float32)
    return torch.where(seen, torch.tensor(0.0), lowest).to(dtype)
