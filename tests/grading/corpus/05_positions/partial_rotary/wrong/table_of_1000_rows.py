# A table of 1000 rows has none for position 1000.
# points: 3
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    
    angles = (torch.arange(1000)[:, None] * speeds)[position_ids][:, None]
    cos, sin = angles.cos(), angles.sin()


    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest.to(cos.dtype)], -1).to(x.dtype)

    return turn(query), turn(key)
