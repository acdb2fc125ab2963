# repeat_interleaved angles with half-split rotate
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        ang = ang.repeat_interleave(2, -1)
        p, rest = x[..., :rotary_size], x[..., rotary_size:]
        h = rotary_size // 2
        return torch.cat([p * ang.cos() + torch.cat([-p[..., h:], p[..., :h]], -1) * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
