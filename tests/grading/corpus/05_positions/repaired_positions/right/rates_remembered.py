# remembers the speeds, by all that they depend on
# points: 4

_rates = {}

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    if (d, base) not in _rates:
        _rates[d, base] = torch.tensor([base ** (-2 * i / d) for i in range((d + 1) // 2)])
    angle = position_ids.unsqueeze(-1) * _rates[d, base]
    both = torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., :d]
    return math.sqrt(d) * embeddings + both
