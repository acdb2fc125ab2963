# chapter's rotary, all of it
# points: 0

def rotary(x, position_ids, base=10000.0):
    size = x.size(-1)
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rotary(query, position_ids, base), rotary(key, position_ids, base)
