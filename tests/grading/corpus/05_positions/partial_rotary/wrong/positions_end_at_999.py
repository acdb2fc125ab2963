# Positions beyond 999 are taken for 999.
# points: 3
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    
    angles = position_ids.clamp(max=999)[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()


    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest.to(cos.dtype)], -1).to(x.dtype)

    return turn(query), turn(key)
