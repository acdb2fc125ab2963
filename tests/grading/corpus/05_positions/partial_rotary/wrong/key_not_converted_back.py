# Only the queries go back to bfloat16, keys come back in float32.
# points: 3
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    h = rotary_size // 2
    inverse = 1.0 / base ** (torch.arange(0, rotary_size, 2).float() / rotary_size)
    theta = position_ids.float()[:, None, :, None] * inverse
    cos, sin = torch.cos(theta), torch.sin(theta)
    q1, q2, q3 = query[..., :h].float(), query[..., h:rotary_size].float(), query[..., rotary_size:].float()
    k1, k2, k3 = key[..., :h].float(), key[..., h:rotary_size].float(), key[..., rotary_size:].float()
    new_query = torch.cat([q1 * cos - q2 * sin, q1 * sin + q2 * cos, q3], -1)
    new_key = torch.cat([k1 * cos - k2 * sin, k1 * sin + k2 * cos, k3], -1)
    return new_query.to(query.dtype), new_key
