# overwrites first half before using it
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        x = x.clone()
        h = rotary_size // 2
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        x[..., :h] = x[..., :h] * ang.cos() - x[..., h:rotary_size] * ang.sin()
        x[..., h:rotary_size] = x[..., h:rotary_size] * ang.cos() + x[..., :h] * ang.sin()
        return x
    return f(query), f(key)
