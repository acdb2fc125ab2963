# squeeze() on the positions, so texts of one token each lose their axis.
# points: 0
def repaired_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    places = position_ids.squeeze()[..., None]
    angles = places * base ** (-2 * torch.arange((size + 1) // 2) / size)
    waves = torch.zeros(*places.shape[:-1], size)
    waves[..., 0::2], waves[..., 1::2] = angles.sin(), angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves
