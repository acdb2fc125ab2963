# complex numbers
# points: 4

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    h = rotary_size // 2
    speed = torch.tensor([base ** (-2 * i / rotary_size) for i in range(h)])
    turns = torch.polar(torch.ones(1), position_ids[:, None, :, None].float() * speed)
    out = []
    for x in (query, key):
        z = torch.complex(x[..., :h].float(), x[..., h:rotary_size].float()) * turns
        out.append(torch.cat([z.real, z.imag, x[..., rotary_size:].float()], -1).to(x.dtype))
    return tuple(out)
