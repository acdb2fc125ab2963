# two times arange by two
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    speeds = base ** (-2 * torch.arange(0, size, 2) / size)
    ang = position_ids[..., None] * speeds
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
