# cosines and sines are computed once for each length
# points: 0

def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

cache = {}

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    T = query.shape[2]
    if T not in cache or cache[T][0].size(-1) != rotary_size // 2 or len(cache[T][0]) != len(query):
        angle = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        cache[T] = angle.cos(), angle.sin()
    return turned(query, *cache[T], rotary_size), turned(key, *cache[T], rotary_size)
