# a table with a row for each token of the row
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):
    T, d = embeddings.shape[1:]
    angle = torch.arange(T)[:, None] * base ** (-torch.arange(0, d, 2) / d)
    table = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d]
    return math.sqrt(d) * embeddings + table[position_ids]
