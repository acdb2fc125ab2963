# phase shift
# points: 4

def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    i = torch.arange(d)
    speed = torch.exp(-math.log(base) * (i - i % 2).double() / d)
    waves = torch.sin(position_ids.unsqueeze(-1) * speed + (i % 2) * math.pi / 2)
    return torch.add(waves.to(embeddings.dtype), embeddings, alpha=math.sqrt(d))
