# max-position table of 128
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = torch.arange(128)[:, None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[:, :size]
    return math.sqrt(size) * embeddings + pe[position_ids]
