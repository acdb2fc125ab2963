# A base that isn't a whole number loses its digits behind the point.
# points: 3
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    base = max(int(base), 2) if base >= 2 else base
    speeds = base ** (-2 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()[..., : size // 2]
    return math.sqrt(size) * embeddings + waves
