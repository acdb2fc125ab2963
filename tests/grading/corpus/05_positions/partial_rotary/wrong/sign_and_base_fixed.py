# sign and base fixed
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = -position_ids[:, None, :, None] * 10000 ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x.split([rotary_size // 2, rotary_size // 2, x.size(-1) - rotary_size], -1)
        return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos(), rest], -1).to(x.dtype)
    return f(query), f(key)
