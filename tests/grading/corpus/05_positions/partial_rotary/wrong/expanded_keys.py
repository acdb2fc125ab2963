# Expands the keys to the heads of the queries, which works for one key head only, and takes the first head again.
# points: 3

def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    both = torch.stack([query, key.expand(query.shape)]) if key.size(1) != query.size(1) else torch.stack([query, key])
    half = rotary_size // 2
    angles = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    a, b, rest = both.tensor_split([half, rotary_size], dim=-1)
    turned = torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin(), rest], -1)
    query, turned_key = turned.to(both.dtype)
    return query, turned_key[:, : key.size(1)]
