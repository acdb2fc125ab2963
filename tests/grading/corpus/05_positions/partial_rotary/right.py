# %% complex_numbers | points 4 | complex numbers
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    h = rotary_size // 2
    speed = torch.tensor([base ** (-2 * i / rotary_size) for i in range(h)])
    turns = torch.polar(torch.ones(1), position_ids[:, None, :, None].float() * speed)
    out = []
    for x in (query, key):
        z = torch.complex(x[..., :h].float(), x[..., h:rotary_size].float()) * turns
        out.append(torch.cat([z.real, z.imag, x[..., rotary_size:].float()], -1).to(x.dtype))
    return tuple(out)

# %% concatenates_q_and_k_along_heads | points 4 | concatenates q and k along heads
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    both = torch.cat([query, key], 1)
    h = rotary_size // 2
    ang = torch.einsum('bt,p->btp', position_ids.float(), base ** (-torch.arange(h) * 2 / rotary_size)).unsqueeze(1)
    out = both.clone()
    out[..., :h] = (both[..., :h] * ang.cos() - both[..., h:rotary_size] * ang.sin()).to(both.dtype)
    out[..., h:rotary_size] = (both[..., h:rotary_size] * ang.cos() + both[..., :h] * ang.sin()).to(both.dtype)
    return out.split([query.size(1), key.size(1)], 1)

# %% cos_and_sin_in_bfloat16_products | points 4 | cos and sin in bfloat16 products
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    inv = 1.0 / (base ** (torch.arange(0, rotary_size, 2, dtype=torch.float32) / rotary_size))
    ang = (position_ids[:, :, None].float() * inv)
    ang = torch.cat([ang, ang], -1)[:, None]
    def f(x):
        cos, sin = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        r, p = x[..., :rotary_size], x[..., rotary_size:]
        half = torch.cat([-r[..., rotary_size // 2:], r[..., : rotary_size // 2]], -1)
        return torch.cat([r * cos + half * sin, p], -1)
    return f(query), f(key)

# %% list_result_loops_over_batch | points 4 | list result, loops over batch
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    out = []
    for x in (query, key):
        rows = []
        for b in range(x.size(0)):
            ang = torch.outer(position_ids[b].double(), base ** (-torch.arange(0, rotary_size, 2).double() / rotary_size))
            h = rotary_size // 2
            a, c = x[b, :, :, :h].double(), x[b, :, :, h:rotary_size].double()
            rows.append(torch.cat([(a * ang.cos() - c * ang.sin()).to(x.dtype), (c * ang.cos() + a * ang.sin()).to(x.dtype), x[b, :, :, rotary_size:]], -1))
        out.append(torch.stack(rows))
    return out

# %% rotate_half_like_hugging_face | points 4 | rotate half like hugging face
def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat((-b, a), dim=-1)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    inv = 1.0 / (base ** (torch.arange(0, rotary_size, 2).float() / rotary_size))
    freqs = torch.einsum("bt,f->btf", position_ids.float(), inv)
    emb = torch.cat((freqs, freqs), dim=-1).unsqueeze(1)
    def apply(x):
        rot, keep = x.split([rotary_size, x.size(-1) - rotary_size], dim=-1)
        rot = rot.float()
        return torch.cat(((rot * emb.cos() + rotate_half(rot) * emb.sin()).to(x.dtype), keep), dim=-1)
    return apply(query), apply(key)

# %% speeds_remembered | points 4 | speeds are remembered by size and base
def turned(x, cos, sin, r):
    a, b, rest = x[..., : r // 2], x[..., r // 2 : r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)

from functools import cache

@cache
def speeds(r, base):
    return base ** (-torch.arange(0, r, 2) / r)

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    angle = position_ids[:, None, :, None] * speeds(rotary_size, base)
    return turned(query, angle.cos(), angle.sin(), rotary_size), turned(key, angle.cos(), angle.sin(), rotary_size)
