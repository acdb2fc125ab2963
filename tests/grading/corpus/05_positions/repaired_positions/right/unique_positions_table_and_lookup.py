# unique positions table and lookup
# points: 4

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[2]
    u, inv = position_ids.unique(return_inverse=True)
    ang = u[:, None] * base ** (-torch.arange(0, d + d % 2, 2) / d)
    table = torch.stack((ang.sin(), ang.cos()), 2).reshape(len(u), -1)[:, :d]
    return F.embedding(inv, table).add(embeddings.mul(math.sqrt(d)))
