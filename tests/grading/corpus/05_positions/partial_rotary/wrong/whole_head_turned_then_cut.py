# Speeds and partners are those of the whole head, and the first rotary_size numbers are taken.
# points: 0

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    head_size = query.size(-1)
    half = head_size // 2
    speeds = base ** (-torch.arange(0, 2 * half, 2) / head_size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    cos, sin = torch.cat([cos, cos], -1), torch.cat([sin, sin], -1)

    def turn(x):
        whole, odd = x[..., : 2 * half], x[..., 2 * half :]
        half_turned = torch.cat([-whole[..., half:], whole[..., :half]], -1)
        turned = torch.cat([whole * cos + half_turned * sin, odd], -1)
        return torch.cat([turned[..., :rotary_size], x[..., rotary_size:]], -1).to(x.dtype)

    return turn(query), turn(key)

