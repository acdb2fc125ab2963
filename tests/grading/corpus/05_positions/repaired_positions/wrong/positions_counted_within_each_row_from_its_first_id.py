# positions counted within each row from its first id
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ids = position_ids - position_ids[:, :1]
    ang = ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
