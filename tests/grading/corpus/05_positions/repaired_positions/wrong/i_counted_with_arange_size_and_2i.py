# i counted with arange size and 2i
# points: 0

def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    waves = torch.zeros_like(embeddings)
    for i in range(size):
        a = position_ids / base ** (2 * i / size)
        waves[..., i] = a.sin() if i % 2 == 0 else a.cos()
    return math.sqrt(size) * embeddings + waves
