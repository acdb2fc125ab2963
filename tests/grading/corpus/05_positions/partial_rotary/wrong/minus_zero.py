# Cuts the rest off with a negative index, which is everything if all of the head turns.
# points: 0
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    unturned = query.size(-1) - rotary_size
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None].float() * speeds
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second = x[..., :rotary_size].float().chunk(2, dim=-1)
        rest = x[..., -unturned:]
        turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
        return torch.cat([turned.to(x.dtype), rest], dim=-1)

    return turn(query), turn(key)
