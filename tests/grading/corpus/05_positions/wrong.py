"""Wrong answers as students might write them: title, exercise, points deserved, source."""

ANSWERS = [
    (
        "copied as it was",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    places = torch.arange(batch)
    speeds = 10000 ** (-torch.arange(size // 2) / size)
    angles = places[:, None, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * (embeddings + waves)
""",
    ),
    (
        "fixed ids and base only",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(size // 2) / size)
    angles = position_ids[:, :, None] * speeds
    waves = torch.zeros(batch, tokens, size)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * (embeddings + waves)
""",
    ),
    (
        "arange over tokens, rest right",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(tokens)[:, None] * speeds
    waves = torch.zeros(tokens, size)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles[:, :size // 2].cos()
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "arange tokens and sum scaled",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    batch, tokens, size = embeddings.shape
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = torch.arange(tokens)[:, None] * speeds
    waves = torch.zeros(tokens, size)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles[:, :size // 2].cos()
    return math.sqrt(size) * (embeddings + waves)
""",
    ),
    (
        "scale missing and odd crash",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, d = embeddings.shape
    waves = torch.zeros(b, t, d)
    ang = position_ids.unsqueeze(-1) / base ** (2 * torch.arange(d // 2) / d)
    waves[..., 0::2] = torch.sin(ang); waves[..., 1::2] = torch.cos(ang)
    return embeddings + waves
""",
    ),
    (
        "two times arange by two",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    speeds = base ** (-2 * torch.arange(0, size, 2) / size)
    ang = position_ids[..., None] * speeds
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "per-dimension exponents, chapter trap",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    i = torch.arange(size)
    ang = position_ids[..., None] / base ** (i / size)
    waves = torch.where(i % 2 == 0, ang.sin(), ang.cos())
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "concatenated halves",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.cat((ang.sin(), ang.cos()), -1)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "odd size gets a zero column",
        "repaired_positions",
        3,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, size = embeddings.shape
    n = size // 2
    ang = position_ids[..., None] * base ** (-2 * torch.arange(n) / size)
    waves = torch.zeros(b, t, size)
    waves[..., 0:2*n:2] = ang.sin()
    waves[..., 1:2*n:2] = ang.cos()
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "odd padded to size+1",
        "repaired_positions",
        3,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    b, t, size = embeddings.shape
    d = size + size % 2
    ang = position_ids[..., None] * base ** (-torch.arange(0, d, 2) / d)
    waves = torch.zeros(b, t, d)
    waves[..., 0::2] = ang.sin()
    waves[..., 1::2] = ang.cos()
    return math.sqrt(size) * embeddings + waves[..., :size]
""",
    ),
    (
        "10000 kept",
        "repaired_positions",
        3,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * torch.exp(torch.arange(0, size, 2) * -(math.log(10000.0) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "log2 typo",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * torch.exp(torch.arange(0, size, 2) * -(math.log2(base) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "degrees",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = torch.deg2rad(position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size))
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "integer speeds",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = (position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)).long()
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "scale by root of tokens",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(embeddings.size(1)) * embeddings + waves
""",
    ),
    (
        "float64 result",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ang = position_ids[..., None].double() * base ** (-torch.arange(0, size, 2).double() / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "positions counted within each row from its first id",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.shape[-1]
    ids = position_ids - position_ids[:, :1]
    ang = ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "chapter's rotary, all of it",
        "partial_rotary",
        0,
        r"""
def rotary(x, position_ids, base=10000.0):
    size = x.size(-1)
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rotary(query, position_ids, base), rotary(key, position_ids, base)
""",
    ),
    (
        "speeds of the whole head",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base, query.size(-1)), rot(key, position_ids, rotary_size, base, key.size(-1))
""",
    ),
    (
        "base not passed on",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, 10000.0), rot(key, position_ids, rotary_size, 10000.0)
""",
    ),
    (
        "base not passed on for keys only",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, 10000.0)
""",
    ),
    (
        "positions sorted",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = position_ids.sort(-1).values
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)
""",
    ),
    (
        "keys as query shape, expands key heads",
        "partial_rotary",
        3,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    key = key.repeat_interleave(query.size(1) // key.size(1), dim=1)
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)
""",
    ),
    (
        "returns only query",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base)
""",
    ),
    (
        "returns stacked",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return torch.stack([rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)])
""",
    ),
    (
        "no dtype conversion",
        "partial_rotary",
        3,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)
""",
    ),
    (
        "angles cast to query dtype",
        "partial_rotary",
        3,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    angles = angles.to(x.dtype); cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query, position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)
""",
    ),
    (
        "rotate_half with wrong concat",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        ang = torch.cat([ang, ang], -1)
        p, rest = x[..., :rotary_size], x[..., rotary_size:]
        h = rotary_size // 2
        return torch.cat([p * ang.cos() + torch.cat([p[..., h:], -p[..., :h]], -1) * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "repeat_interleaved angles with half-split rotate",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        ang = ang.repeat_interleave(2, -1)
        p, rest = x[..., :rotary_size], x[..., rotary_size:]
        h = rotary_size // 2
        return torch.cat([p * ang.cos() + torch.cat([-p[..., h:], p[..., :h]], -1) * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "sign and base fixed",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = -position_ids[:, None, :, None] * 10000 ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x.split([rotary_size // 2, rotary_size // 2, x.size(-1) - rotary_size], -1)
        return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "overwrites first half before using it",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        x = x.clone()
        h = rotary_size // 2
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        x[..., :h] = x[..., :h] * ang.cos() - x[..., h:rotary_size] * ang.sin()
        x[..., h:rotary_size] = x[..., h:rotary_size] * ang.cos() + x[..., :h] * ang.sin()
        return x
    return f(query), f(key)
""",
    ),
    (
        "position ids of row 0 via squeeze",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = position_ids[0][None]
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)
""",
    ),
    (
        "interleaved and whole head size",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / x.size(-1))
        a, b = x[..., 0:rotary_size:2], x[..., 1:rotary_size:2]
        p = torch.stack([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin()], -1).flatten(-2)
        return torch.cat([p, x[..., rotary_size:]], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "library function of the chapter on q and k",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    def f(weight, heads):
        by_pair = weight.unflatten(0, (heads, -1, 2))
        return by_pair.transpose(1, 2).flatten(0, 2)
    new = dict(state)
    for n in list(state):
        if n.startswith('query'): new[n] = f(state[n], num_attention_heads)
        if n.startswith('key'): new[n] = f(state[n], num_key_value_heads)
    return new
""",
    ),
    (
        "weights only",
        "to_interleaved",
        3,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query.weight', num_attention_heads), ('key.weight', num_key_value_heads)):
        w = state[n]; hs = w.size(0) // h
        order = torch.arange(hs); order[0:rotary_size:2] = torch.arange(rotary_size // 2); order[1:rotary_size:2] = torch.arange(rotary_size // 2, rotary_size)
        new[n] = w.view(h, hs, -1)[:, order].reshape(w.shape) if w.is_contiguous() else w.reshape(h, hs, -1)[:, order].reshape(w.shape)
    return new
""",
    ),
    (
        "whole head as rotary",
        "to_interleaved",
        3,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, w in state.items():
        if n[:3] in ('que', 'key'):
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            half = w.size(0) // h // 2
            x = w.unflatten(0, (h, -1))
            a, b, c = x[:, :half], x[:, half:2*half], x[:, 2*half:]
            new[n] = torch.cat([torch.stack([a, b], 2).flatten(1, 2), c], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "crash without bias",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query', num_attention_heads), ('key', num_key_value_heads)):
        for k in ('weight', 'bias'):
            x = state[n + '.' + k].unflatten(0, (h, -1))
            r = rotary_size
            new[n + '.' + k] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "query heads for keys",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "values as well",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qkv':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "all rows at once with rotary_size",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n]; r = rotary_size
            new[n] = torch.cat([x[:r].unflatten(0, (2, -1)).transpose(0, 1).flatten(0, 1), x[r:]], 0)
    return new
""",
    ),
    (
        "even rows first then odd, and bias missing",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n, h in (('query.weight', num_attention_heads), ('key.weight', num_key_value_heads)):
        x = state[n].unflatten(0, (h, -1))
        new[n] = torch.cat([x[:, 0:rotary_size:2], x[:, 1:rotary_size:2], x[:, rotary_size:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "state changed",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            state[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return state
""",
    ),
    (
        "loop with off by one pair",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {n: t.clone() for n, t in state.items()}
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            hs = state[n].size(0) // h
            for k in range(h):
                for i in range(rotary_size // 2 - 1):
                    new[n][k * hs + 2 * i] = state[n][k * hs + i]
                    new[n][k * hs + 2 * i + 1] = state[n][k * hs + i + rotary_size // 2]
    return new
""",
    ),
    (
        "loop that overwrites what it reads",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {n: t.clone() for n, t in state.items()}
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            hs = state[n].size(0) // h
            for k in range(h):
                for i in range(rotary_size // 2):
                    new[n][k * hs + 2 * i] = new[n][k * hs + i]
                    new[n][k * hs + 2 * i + 1] = new[n][k * hs + i + rotary_size // 2]
    return new
""",
    ),
    (
        "returns tuple q k",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    return state['query.weight'], state['key.weight']
""",
    ),
    (
        "chapter code with square positions",
        "alibi_mask",
        0,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    p = torch.arange(keys)
    apart = p[:queries, None] - p[None]
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "formula slopes only",
        "alibi_mask",
        3,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "triu default diagonal",
        "alibi_mask",
        0,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    hide = torch.ones(queries, keys).triu(1).bool()
    return bias.masked_fill(hide, -math.inf) if causal else bias
""",
    ),
    (
        "causal False raises",
        "alibi_mask",
        3,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "-1e9",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -1e9) if causal else bias
""",
    ),
    (
        "finfo min",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, torch.finfo(torch.float32).min) if causal else bias
""",
    ),
    (
        "slopes interleaved merge",
        "alibi_mask",
        3,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    P = 2 ** int(math.log2(num_attention_heads))
    s = sorted([2 ** (-8 * h / P) for h in range(1, P + 1)] + [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)][: num_attention_heads - P])[::-1]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -torch.tensor(s)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "slopes from the last of doubled",
        "alibi_mask",
        3,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    n = num_attention_heads
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)][0::2]
    s = s + (d[-(n - P):] if n > P else [])
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -torch.tensor(s)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "offset wrong by one",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries - 1, keys - 1)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "0 * inf NaN mask",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    mask = (apart < 0).float() * -math.inf
    return bias + mask if causal else bias
""",
    ),
    (
        "slope base 8 heads fixed",
        "alibi_mask",
        0,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2.0 ** -torch.arange(1, num_attention_heads + 1)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "offset missing and slopes by formula",
        "alibi_mask",
        0,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(queries)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "sign wrong and not hidden",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    return sl(num_attention_heads)[:, None, None] * apart.abs()
""",
    ),
    (
        "float64",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads).double()[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "chapter's line",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)
""",
    ),
    (
        "chapter's line, cut",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)[:, -new_tokens:]
""",
    ),
    (
        "cut first",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask[:, -new_tokens:].long()
    return ((m.cumsum(-1) - 1) * m)
""",
    ),
    (
        "cut at the wrong end",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, :new_tokens]
""",
    ),
    (
        "one column short",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:-1]
""",
    ),
    (
        "arange from cached",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    T = attention_mask.size(1)
    return torch.arange(T - new_tokens, T).repeat(attention_mask.size(0), 1)
""",
    ),
    (
        "arange minus padding count, pads negative",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    pad = (attention_mask == 0).sum(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - pad)[:, -new_tokens:]
""",
    ),
    (
        "arange minus padding count, clamped",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    pad = (attention_mask == 0).sum(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - pad).clamp(min=0)[:, -new_tokens:]
""",
    ),
    (
        "argmax of first token",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    first = attention_mask.int().argmax(-1, keepdim=True)
    T = attention_mask.size(1)
    return (torch.arange(T)[None] - first).clamp(min=0)[:, -new_tokens:]
""",
    ),
    (
        "multiplied without minus one",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return (m.cumsum(-1) * m)[:, -new_tokens:]
""",
    ),
    (
        "fill one",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    p = m.cumsum(-1) - 1
    p.masked_fill_(m == 0, 1)
    return p[:, -new_tokens:]
""",
    ),
    (
        "float tensor",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.float()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:]
""",
    ),
    (
        "boolean fails with minus",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    p = attention_mask.cumsum(-1) - 1
    return (p - p * (1 - attention_mask))[:, -new_tokens:]
""",
    ),
    (
        "list of lists",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:].tolist()
""",
    ),
    (
        "cumsum over batch",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(0) - 1) * m)[:, -new_tokens:]
""",
    ),
    (
        "only last column",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    return ((m.cumsum(-1) - 1) * m)[:, -1:]
""",
    ),
    (
        "crash everywhere, name",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):
    return embeddings * sqrt(size)
""",
    ),
    (
        "crash everywhere, shapes",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids * base ** (-torch.arange(0, size, 2) / size)
    return math.sqrt(size) * embeddings + torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)
""",
    ),
    (
        "max-position table of 128",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = torch.arange(128)[:, None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[:, :size]
    return math.sqrt(size) * embeddings + pe[position_ids]
""",
    ),
    (
        "i counted with arange size and 2i",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    waves = torch.zeros_like(embeddings)
    for i in range(size):
        a = position_ids / base ** (2 * i / size)
        waves[..., i] = a.sin() if i % 2 == 0 else a.cos()
    return math.sqrt(size) * embeddings + waves
""",
    ),
    (
        "sqrt on sum, other all right",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * (embeddings + pe)
""",
    ),
    (
        "both sines",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ang = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.sin()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe
""",
    ),
    (
        "exponent and base left",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    n = (size + 1) // 2
    ang = position_ids[..., None] * 10000 ** (-torch.arange(n) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe
""",
    ),
    (
        "position ids transposed by batch first index",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    ids = position_ids.T.reshape(position_ids.shape)
    ang = ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe
""",
    ),
    (
        "speeds normalised by n - 1",
        "repaired_positions",
        0,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):

    size = embeddings.size(-1)
    n = (size + 1) // 2
    ang = position_ids[..., None] * base ** (-torch.arange(n) / max(n - 1, 1))
    pe = torch.stack([ang.sin(), ang.cos()], -1).flatten(-2)[..., :size]
    return math.sqrt(size) * embeddings + pe
""",
    ),
    (
        "crash everywhere",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rotary(query, position_ids), rotary(key, position_ids)
""",
    ),
    (
        "unsqueezed at the wrong axis",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, :, None, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "half of head_size as rotary",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    r = query.size(-1) // 2 // 2 * 2
    return rot(query, position_ids, r, base), rot(key, position_ids, r, base)
""",
    ),
    (
        "minus in the second row",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() - a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "keys positions reversed order of args",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(key, position_ids, rotary_size, base), rot(query, position_ids, rotary_size, base)
""",
    ),
    (
        "arange ids",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = torch.arange(query.size(2))[None]
    return rot(query, p, rotary_size, base), rot(key, p, rotary_size, base)
""",
    ),
    (
        "arange ids and keys not turned",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    p = torch.arange(query.size(2))[None]
    return rot(query, p, rotary_size, base), key
""",
    ),
    (
        "query detached",
        "partial_rotary",
        3,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return rot(query.detach(), position_ids, rotary_size, base), rot(key, position_ids, rotary_size, base)
""",
    ),
    (
        "x.half inside",
        "partial_rotary",
        0,
        r"""
def rot(x, ids, r, base, size=None, off=0):
    speeds = base ** (-torch.arange(0, r, 2) / (size or r))
    angles = ids[:, None, :, None] * speeds + off
    cos, sin = angles.cos(), angles.sin()
    a, b, rest = x[..., :r // 2], x[..., r // 2:r], x[..., r:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=-1).to(x.dtype)
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    return tuple(rot(x.bfloat16(), position_ids, rotary_size, base).to(x.dtype) for x in (query, key))
""",
    ),
    (
        "two times exponents doubled",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (-2 * torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "positive exponent",
        "partial_rotary",
        0,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):

    def f(x):
        ang = position_ids[:, None, :, None] * base ** (torch.arange(0, rotary_size, 2) / rotary_size)
        a, b, rest = x[..., :rotary_size // 2], x[..., rotary_size // 2:rotary_size], x[..., rotary_size:]
        return torch.cat([a * ang.cos() - b * ang.sin(), b * ang.cos() + a * ang.sin(), rest], -1).to(x.dtype)
    return f(query), f(key)
""",
    ),
    (
        "crash everywhere",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    return state['wq']
""",
    ),
    (
        "reshape instead of transpose",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            x = state[n].unflatten(0, (num_attention_heads if n[0] == 'q' else num_key_value_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).reshape(x.size(0), r, *x.shape[2:]), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "view 2 pairs but split heads last",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n[0] in 'qk':
            h = num_attention_heads if n[0] == 'q' else num_key_value_heads
            x = state[n].reshape(-1, h, *state[n].shape[1:]); r = rotary_size
            new[n] = torch.cat([x[:r].unflatten(0, (2, -1)).transpose(0, 1).flatten(0, 1), x[r:]], 0).flatten(0, 1)
    return new
""",
    ),
    (
        "keys left",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    x = state['query.weight'].unflatten(0, (num_attention_heads, -1)); r = rotary_size
    new = dict(state)
    new['query.weight'] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "keys left but query bias done",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = dict(state)
    for n in state:
        if n.startswith('query'):
            x = state[n].unflatten(0, (num_attention_heads, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "output rows too",
        "to_interleaved",
        0,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):

    new = {}
    for n in state:
        h = num_attention_heads if n[0] in 'qo' else num_key_value_heads
        if n[0] in 'qk':
            x = state[n].unflatten(0, (h, -1)); r = rotary_size
            new[n] = torch.cat([x[:, :r].unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2), x[:, r:]], 1).flatten(0, 1)
    return new
""",
    ),
    (
        "crash everywhere",
        "alibi_mask",
        0,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    return alibi_bias(num_attention_heads, torch.arange(keys))
""",
    ),
    (
        "assert on powers of two",
        "alibi_mask",
        3,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    assert num_attention_heads in (1, 2, 4, 8, 16, 32)
    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "int exponents floor division",
        "alibi_mask",
        3,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2.0 ** (-(8 // num_attention_heads) * torch.arange(1, num_attention_heads + 1))
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "causal hides own and sign",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart <= 0, -math.inf) if causal else bias
""",
    ),
    (
        "square mask",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "first rows of the square",
        "alibi_mask",
        0,
        r"""
def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    bias = bias.masked_fill(apart < 0, -math.inf) if causal else bias
    return bias[:, :queries]
""",
    ),
    (
        "slopes from zero and formula",
        "alibi_mask",
        0,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(num_attention_heads) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
""",
    ),
    (
        "crash everywhere",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    return mask.cumsum(-1) - 1
""",
    ),
    (
        "flip",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.flip(-1).long()
    return ((m.cumsum(-1) - 1) * m)[:, -new_tokens:]
""",
    ),
    (
        "new counted from cached sum, no minus one",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):

    c = attention_mask.size(1) - new_tokens
    new = attention_mask[:, c:].long()
    return (attention_mask[:, :c].sum(-1, keepdim=True) + new.cumsum(-1)) * new
""",
    ),
    (
        "modulo",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    p = (m.cumsum(-1) - 1)
    return p[:, -new_tokens:].clamp_min(0)
""",
    ),
    (
        "nothing masked",
        "next_position_ids",
        2,
        r"""
def next_position_ids(attention_mask, new_tokens):
    return (attention_mask.long().cumsum(-1) - 1)[:, -new_tokens:]
""",
    ),
    (
        "int32",
        "next_position_ids",
        0,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.int()
    return ((m.cumsum(-1, dtype=torch.int32) - 1) * m)[:, -new_tokens:]
""",
    ),
    (
        "odd size crashes",
        "repaired_positions",
        3,
        r'''
def repaired_positions(embeddings: Tensor, position_ids: Tensor, base: float = 10000.0) -> Tensor:
    """Scaled embeddings plus sinusoidal positions: [batch, tokens, d]."""
    size = embeddings.size(-1)
    speeds = base ** (-torch.arange(0, size, 2) / size)
    angles = position_ids[..., None] * speeds
    waves = torch.zeros(embeddings.shape)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles.cos()
    return math.sqrt(size) * embeddings + waves
''',
    ),
    (
        "columns",
        "to_interleaved",
        0,
        r'''
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(-1, (heads, -1)) if state[name].dim() == 2 else state[name].unflatten(0, (heads, -1))
                order = torch.arange(rows.size(-1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[..., order].flatten(-2)
    return new
''',
    ),
    (
        "base 8 exponent",
        "alibi_mask",
        0,
        r'''
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-torch.arange(1, power + 1).float())
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * apart.abs()
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask
''',
    ),
    (
        "biases left out",
        "to_interleaved",
        3,
        r'''
def to_interleaved(
    state: dict[str, Tensor], num_attention_heads: int, num_key_value_heads: int, rotary_size: int
) -> dict[str, Tensor]:
    """Weights for interleaved rotary positions, from weights for half-split ones."""
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in state:
                rows = state[name].unflatten(0, (heads, -1))
                order = torch.arange(rows.size(1))
                order[:rotary_size] = order[:rotary_size].view(2, -1).T.flatten()
                new[name] = rows[:, order].flatten(0, 1)
    return {n: t for n, t in new.items() if 'weight' in n}
''',
    ),
    (
        "no distance",
        "alibi_mask",
        0,
        r'''
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * (apart.abs() > 0)
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask
''',
    ),
    (
        "masked before the sum",
        "next_position_ids",
        0,
        r'''
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (mask - 1).cumsum(dim=-1).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]
''',
    ),
    (
        "heads last",
        "alibi_mask",
        0,
        r'''
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * apart.abs()
    mask = mask.masked_fill(apart < 0, -math.inf) if causal else mask
    return mask.permute(1, 2, 0)
''',
    ),
    (
        "length of the row",
        "next_position_ids",
        2,
        r'''
def next_position_ids(attention_mask: Tensor, new_tokens: int) -> Tensor:
    """Positions [batch, new_tokens] of the last tokens; padding has position 0."""
    mask = attention_mask.long()
    ids = (torch.arange(mask.size(1)) - (mask == 0).sum(dim=-1, keepdim=True)).clamp(min=0).masked_fill(mask == 0, 0)
    return ids[:, -new_tokens:]
''',
    ),
    (
        "a minus in both halves",
        "partial_rotary",
        0,
        r'''
def partial_rotary(
    query: Tensor, key: Tensor, position_ids: Tensor, rotary_size: int, base: float = 10000.0
) -> tuple[Tensor, Tensor]:
    """Turn the first numbers of each head of queries and keys by their positions."""
    half = rotary_size // 2
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * speeds
    cos, sin = angles.cos(), angles.sin()

    def turn(x):
        first, second, rest = x[..., :half], x[..., half:rotary_size], x[..., rotary_size:]
        pairs = [first * cos - second * sin, second * cos - first * sin]
        return torch.cat([*pairs, rest], dim=-1).to(x.dtype)

    return turn(query), turn(key)
''',
    ),
]
