# log2 typo
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * torch.exp(torch.arange(0, size, 2) * -(math.log2(base) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
