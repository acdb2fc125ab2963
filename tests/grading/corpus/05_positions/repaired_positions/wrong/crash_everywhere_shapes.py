# crash everywhere, shapes
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids * base ** (-torch.arange(0, size, 2) / size)
    return math.sqrt(size) * embeddings + torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)
