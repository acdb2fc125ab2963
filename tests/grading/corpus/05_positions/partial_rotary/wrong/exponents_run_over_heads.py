# the pairs of all heads are numbered through
# points: 0

def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    def turn(x):
        H = x.size(1)
        i = torch.arange(H * rotary_size // 2).view(1, H, 1, -1)
        angle = position_ids[:, None, :, None] / base ** (2 * i / (H * rotary_size))
        return turned(x, angle.cos(), angle.sin(), rotary_size)
    return turn(query), turn(key)
