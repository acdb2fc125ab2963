# odd padded to size+1
# points: 3

def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, size = embeddings.shape
    d = size + size % 2
    ang = position_ids[..., None] * base ** (-torch.arange(0, d, 2) / d)
    waves = torch.zeros(b, t, d)
    waves[..., 0::2] = ang.sin()
    waves[..., 1::2] = ang.cos()
    return math.sqrt(size) * embeddings + waves[..., :size]
