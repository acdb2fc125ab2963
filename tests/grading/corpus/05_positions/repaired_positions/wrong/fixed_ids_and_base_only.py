# fixed ids and base only
# points: 1

def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(size // 2) / size)
    angles = position_ids[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * (embeddings + waves)
