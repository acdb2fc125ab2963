# Wrong: gradients are switched on only if the queries need them, so keys that alone need a gradient get none.
# points: 3
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    with torch.no_grad():
        speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        angles = (position_ids[..., None].float() * speeds)[:, None]
        cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second = x[..., :rotary_size].float().chunk(2, dim=-1)
        turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
        return torch.cat([turned.to(x.dtype), x[..., rotary_size:]], dim=-1)

    with torch.set_grad_enabled(torch.is_grad_enabled() and query.requires_grad):
        return turn(query), turn(key)
