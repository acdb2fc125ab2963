# Counts places and lengths in the given dtype; bfloat16 has no 257 (and float16 no 2049).
# points: 3
def additive_mask(
    lengths: Tensor,
    tokens: int,
    dtype: torch.dtype = torch.float32,
    allowed: Tensor | None = None,
    left: bool = False,
) -> Tensor:
    places = torch.arange(tokens).to(dtype)
    ends = lengths.to(dtype)[:, None]
    real = places < ends
    if left:
        real = real.flip(-1)
    seen = real[:, None, None, :]
    if allowed is not None:
        seen = seen & allowed
    return (1 - seen.to(dtype)) * torch.finfo(dtype).min
