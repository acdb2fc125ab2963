# concatenates q and k along heads
# points: 4

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    both = torch.cat([query, key], 1)
    h = rotary_size // 2
    ang = torch.einsum('bt,p->btp', position_ids.float(), base ** (-torch.arange(h) * 2 / rotary_size)).unsqueeze(1)
    out = both.clone()
    out[..., :h] = (both[..., :h] * ang.cos() - both[..., h:rotary_size] * ang.sin()).to(both.dtype)
    out[..., h:rotary_size] = (both[..., h:rotary_size] * ang.cos() + both[..., :h] * ang.sin()).to(both.dtype)
    return out.split([query.size(1), key.size(1)], 1)
