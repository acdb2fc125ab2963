# speeds are remembered by rotary_size alone
# points: 0

def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

from functools import lru_cache

first_base = {}

@lru_cache
def speeds(r):
    return first_base[r] ** (-torch.arange(0, r, 2) / r)

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    first_base.setdefault(rotary_size, base)
    angle = position_ids[:, None, :, None] * speeds(rotary_size)
    return turned(query, angle.cos(), angle.sin(), rotary_size), turned(key, angle.cos(), angle.sin(), rotary_size)
