# padding odd with F.pad
# points: 4

def repaired_positions(embeddings, position_ids, base=10000.0):
    b, t, d = embeddings.shape
    waves = []
    for i in range((d + 1) // 2):
        a = position_ids.float() * base ** (-2 * i / d)
        waves.append(a.sin())
        if 2 * i + 1 < d:
            waves.append(a.cos())
    return torch.stack(waves, -1) + embeddings * math.sqrt(d)
