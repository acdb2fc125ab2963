# Takes the first row's positions for all rows where they are 0, 1, 2 and so on.
# points: 0
def turn(x, cos, sin):
    """Turn the first numbers of each head, as many as there are angles for; leave the rest."""
    half = cos.size(-1)
    first, second, rest = x.tensor_split([half, 2 * half], dim=-1)
    turned = [first * cos - second * sin, second * cos + first * sin]
    return torch.cat([*turned, rest], dim=-1).to(x.dtype)


def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    """Turn the first numbers of each head of queries and keys by their positions."""
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    if position_ids[0].equal(torch.arange(query.size(2))):
        position_ids = position_ids[:1].expand_as(position_ids)
    angles = position_ids[:, None, :, None] * speeds  # [batch, 1, tokens, pairs]
    cos, sin = angles.cos(), angles.sin()
    return turn(query, cos, sin), turn(key, cos, sin)
