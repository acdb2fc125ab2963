# two times exponents doubled
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-2 * torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
