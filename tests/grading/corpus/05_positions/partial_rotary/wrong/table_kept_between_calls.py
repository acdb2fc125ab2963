# Keeps the speeds of the first call in an attribute of the function, whatever base and size come later.
# points: 0
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    if not hasattr(partial_rotary, "speeds"):
        partial_rotary.speeds = 1.0 / base ** (torch.arange(half).float() * 2 / rotary_size)
    speeds = partial_rotary.speeds[:half]
    angles = position_ids.float()[:, None, :, None] * speeds
    cos = torch.cat([angles.cos(), angles.cos()], dim=-1)
    sin = torch.cat([angles.sin(), angles.sin()], dim=-1)

    def turn(x):
        part, rest = x[..., :rotary_size].float(), x[..., rotary_size:]
        rotated = torch.cat([-part[..., half:], part[..., :half]], dim=-1)
        return torch.cat([(part * cos + rotated * sin).to(x.dtype), rest], dim=-1)

    return turn(query), turn(key)
