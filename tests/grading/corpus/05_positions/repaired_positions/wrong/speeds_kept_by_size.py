# The speeds are kept by size, whatever the base is.
# points: 3

_speeds = {}

def repaired_positions(embeddings: Tensor, position_ids: Tensor, base: float = 10000.0) -> Tensor:
    """Scaled embeddings plus sinusoidal positions: [batch, tokens, d]."""
    size = embeddings.size(-1)
    if size not in _speeds:
        _speeds[size] = base ** (-torch.arange(0, size, 2) / size)
    speeds = _speeds[size]
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(embeddings.shape)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves
