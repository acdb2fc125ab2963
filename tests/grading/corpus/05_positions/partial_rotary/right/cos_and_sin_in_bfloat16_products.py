# cos and sin in bfloat16 products
# points: 4

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    inv = 1.0 / (base ** (torch.arange(0, rotary_size, 2, dtype=torch.float32) / rotary_size))
    ang = (position_ids[:, :, None].float() * inv)
    ang = torch.cat([ang, ang], -1)[:, None]
    def f(x):
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        r, p = x[..., :rotary_size], x[..., rotary_size:]
        half = torch.cat([-r[..., rotary_size // 2:], r[..., : rotary_size // 2]], -1)
        return torch.cat([r * cos + half * sin, p], -1)
    return f(query), f(key)
