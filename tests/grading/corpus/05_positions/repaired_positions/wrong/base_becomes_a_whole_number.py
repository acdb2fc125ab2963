# The base is made a tensor with the dtype of the positions, which cuts 1.5 down to 1.
# points: 3
def repaired_positions(embeddings, position_ids, base=10000.0):
    batch, tokens, size = embeddings.shape
    half = (size + 1) // 2
    speeds = position_ids.new_tensor(base) ** (-2 * torch.arange(half) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., : size // 2].cos()
    return math.sqrt(size) * embeddings + waves
