# Keeps the speeds in a dictionary by rotary_size alone, so a second base gets the speeds of the first.
# points: 0

_speeds = {}


def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    if rotary_size not in _speeds:
        _speeds[rotary_size] = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * _speeds[rotary_size]
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)
