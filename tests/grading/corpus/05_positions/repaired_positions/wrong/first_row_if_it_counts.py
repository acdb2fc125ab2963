# Takes the first row's positions for all rows where they are 0, 1, 2 and so on.
# points: 0
def repaired_positions(embeddings, position_ids, base=10000.0):
    """Return scaled embeddings plus sinusoidal positions, ``[batch, tokens, d]``."""
    batch, tokens, size = embeddings.shape
    if position_ids[0].equal(torch.arange(tokens)):
        position_ids = position_ids[:1].expand_as(position_ids)
    speeds = base ** (-2 * torch.arange((size + 1) // 2) / size)
    angles = position_ids[:, :, None] * speeds  # [batch, tokens, pairs]
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves
