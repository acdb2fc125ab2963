# Positions and angles are in float32, but the speeds were rounded to the dtype of the queries before.
# points: 3
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-2 * torch.arange(half, dtype=torch.float32) / rotary_size)
    speeds = speeds.to(query.dtype)
    angles = position_ids[:, None, :, None].float() * speeds.float()
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        a, b = x[..., :half].float(), x[..., half:rotary_size].float()
        front = torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(x.dtype)
        return torch.cat([front, x[..., rotary_size:]], dim=-1)

    return turn(query), turn(key)
