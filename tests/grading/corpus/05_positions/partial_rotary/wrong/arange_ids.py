# arange ids
# points: 0

def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = torch.arange(query.size(2))[None]
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)
