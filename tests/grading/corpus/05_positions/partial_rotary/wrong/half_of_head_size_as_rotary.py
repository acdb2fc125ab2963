# half of head_size as rotary
# points: 0

def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    r = query.size(-1) // 2 // 2 * 2
    return rot(query, position_ids, r, base), rot(key, position_ids, r, base)
