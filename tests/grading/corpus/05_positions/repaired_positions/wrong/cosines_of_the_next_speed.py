# cosines with the exponent 2(i+1)/d
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    waves = torch.zeros_like(embeddings)
    for k in range(d):
        i = k // 2 + k % 2
        angle = position_ids / base ** (2 * i / d)
        waves[..., k] = torch.cos(angle) if k % 2 else torch.sin(angle)
    return math.sqrt(d) * embeddings + waves.detach()
