# odd size gets a zero column
# points: 3

def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, size = embeddings.shape
    n = size // 2
    ang = position_ids[..., None] * base ** (-2 * torch.arange(n) / size)
    waves = torch.zeros(b, t, size)
    waves[..., 0:2*n:2] = ang.sin()
    waves[..., 1:2*n:2] = ang.cos()
    return math.sqrt(size) * embeddings + waves
