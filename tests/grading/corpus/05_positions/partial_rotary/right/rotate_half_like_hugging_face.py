# rotate half like hugging face
# points: 4

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
