# dimension // 2 and where
# points: 4

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[2]
    j = torch.arange(d)
    ang = position_ids[:, :, None] / torch.pow(torch.tensor(base), 2 * (j // 2) / d)
    return embeddings * d ** 0.5 + torch.where(j % 2 == 0, torch.sin(ang), torch.cos(ang))
