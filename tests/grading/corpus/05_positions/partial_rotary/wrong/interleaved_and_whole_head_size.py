# interleaved and whole head size
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / x.size(-1))
        a, b = x[..., 0:rotary_size:2], x[..., 1:rotary_size:2]
        p = torch.stack([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin()], -1).flatten(-2)
        return torch.cat([p, x[..., rotary_size:]], -1).to(x.dtype)
    return f(query), f(key)
