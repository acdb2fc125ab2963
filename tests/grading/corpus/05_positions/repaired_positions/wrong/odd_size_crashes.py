# odd size crashes
# points: 3

def repaired_positions(embeddings: Tensor, position_ids: Tensor, base: float = 10000.0) -> Tensor:
    """Scaled embeddings plus sinusoidal positions: [batch, tokens, d]."""
    size = embeddings.size(-1)
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(embeddings.shape)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * embeddings + waves
