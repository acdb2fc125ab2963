# Pairs and angles run over all heads of a token together.
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    def turn(x):
        b, h, t, d = x.shape
        flat = x.transpose(1, 2).flatten(2)  # all heads beside each other
        size = h * rotary_size
        half = size // 2
        speeds = base ** (-torch.arange(0, size, 2) / size)
        angles = position_ids[..., None] * speeds
        cos, sin = angles.cos(), angles.sin()
        one, two, rest = flat[..., :half], flat[..., half:size], flat[..., size:]
        flat = torch.cat([one * cos - two * sin, two * cos + one * sin, rest], dim=-1)
        return flat.unflatten(-1, (h, d)).transpose(1, 2).to(x.dtype)

    return turn(query), turn(key)

