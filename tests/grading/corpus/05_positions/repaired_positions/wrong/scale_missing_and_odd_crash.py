# scale missing and odd crash
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, d = embeddings.shape
    waves = torch.zeros(b, t, d)
    ang = position_ids.unsqueeze(-1) / base ** (2 * torch.arange(d // 2) / d)
    waves[..., 0::2] = torch.sin(ang); waves[..., 1::2] = torch.cos(ang)
    return embeddings + waves
