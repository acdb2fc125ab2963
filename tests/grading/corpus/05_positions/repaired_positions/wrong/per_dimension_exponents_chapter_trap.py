# per-dimension exponents, chapter trap
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    i = torch.arange(size)
    ang = position_ids[..., None] / base ** (i / size)
    waves = torch.where(i % 2 == 0, ang.sin(), ang.cos())
    return math.sqrt(size) * embeddings + waves
