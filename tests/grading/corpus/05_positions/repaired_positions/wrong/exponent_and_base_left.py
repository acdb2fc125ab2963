# exponent and base left
# points: 2

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    n = (size + 1) // 2
    ang = position_ids[..., None] * 10000 ** (-torch.arange(n) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe
