# Cosines and sines are kept in the dtype of the first call: after one in bfloat16 they stay rounded.
# points: 3
_tables = {}

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    
    if (rotary_size, base) not in _tables:
        angles = torch.arange(1001)[:, None] * speeds
        _tables[rotary_size, base] = angles.cos().to(query.dtype), angles.sin().to(query.dtype)
    cos, sin = (t[position_ids][:, None] for t in _tables[rotary_size, base])


    def turn(x):
        a, b, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest.to(cos.dtype)], -1).to(x.dtype)

    return turn(query), turn(key)
