# The positions are turned into bfloat16, which cannot count beyond 256.
# points: 0
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    pairs = (size + 1) // 2
    speeds = base ** (-2 * torch.arange(pairs) / size)
    angles = position_ids.to(torch.bfloat16)[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()[..., : size // 2]
    return math.sqrt(size) * embeddings + waves
