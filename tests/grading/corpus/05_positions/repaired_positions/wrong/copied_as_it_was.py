# copied as it was
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    places = torch.arange(batch)
    speeds = 10000 ** (-torch.arange(size // 2) / size)
    angles = places[:, None, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * (embeddings + waves)
