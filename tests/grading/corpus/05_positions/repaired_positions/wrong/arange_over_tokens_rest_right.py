# arange over tokens, rest right
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(tokens)[:, None] * speeds
    waves = torch.zeros(tokens, size)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles[:, :size // 2].cos()
    return math.sqrt(size) * embeddings + waves
