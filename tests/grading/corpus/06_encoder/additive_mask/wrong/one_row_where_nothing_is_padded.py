# Where nothing is padded it returns one row of zeros for all texts, without the batch.
# points: 0
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    lowest = torch.finfo(dtype).min
    if allowed is None and bool((lengths == tokens).all()):
        return torch.zeros(1, 1, 1, tokens, dtype=dtype)
    places = torch.arange(tokens)
    real = places >= tokens - lengths[:, None] if left else places < lengths[:, None]
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return torch.zeros(seen.shape, dtype=dtype).masked_fill(~seen, lowest)
