# speeds are remembered by size and base
# points: 4

def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

from functools import cache

@cache
def speeds(r, base):
    return base ** (-torch.arange(0, r, 2) / r)

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    angle = position_ids[:, None, :, None] * speeds(rotary_size, base)
    return turned(query, angle.cos(), angle.sin(), rotary_size), turned(key, angle.cos(), angle.sin(), rotary_size)
