# Cosines and sines are kept by the number of tokens.
# points: 0

_tables = {}

def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * speeds
    length = query.size(2)
    if length not in _tables:
        _tables[length] = angles.cos(), angles.sin()
    cos, sin = _tables[length]

    def turn(x):
        first, second, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        pairs = [first * cos - second * sin, second * cos + first * sin]
        return torch.cat([*pairs, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)
