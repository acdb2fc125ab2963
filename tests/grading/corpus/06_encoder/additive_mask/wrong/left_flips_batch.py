# Left padding made by flipping the axis of the batch instead of the axis of the tokens.
# points: 3
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    real = torch.arange(tokens)[None, :] < lengths[:, None]
    if left:
        real = real.flip(0)
    mask = real[:, None, None, :]
    if allowed is not None:
        mask = mask & allowed[None, None]
    result = torch.zeros(mask.shape, dtype=dtype)
    return result.masked_fill(~mask, torch.finfo(dtype).min)
