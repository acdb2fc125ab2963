# speeds normalised by n - 1
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    n = (size + 1) // 2
    ang = position_ids[..., None] * base ** (-torch.arange(n) / max(n - 1, 1))
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe
