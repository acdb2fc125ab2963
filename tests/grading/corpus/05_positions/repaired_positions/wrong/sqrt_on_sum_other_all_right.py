# sqrt on sum, other all right
# points: 3

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * (embeddings + pe)
