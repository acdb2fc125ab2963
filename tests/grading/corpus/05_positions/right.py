"""Right answers in many styles: title, exercise, points, source."""

ANSWERS = [
    (
        "div_term of PyTorch's tutorial",
        "repaired_positions",
        4,
        r"""
def repaired_positions(x, ids, base=10000.0):
    d_model = x.size(-1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(base) / d_model))
    pe = torch.zeros_like(x)
    pe[..., 0::2] = torch.sin(ids.unsqueeze(-1) * div_term)
    pe[..., 1::2] = torch.cos(ids.unsqueeze(-1) * div_term[: d_model // 2])
    return x * math.sqrt(d_model) + pe
""",
    ),
    (
        "dimension // 2 and where",
        "repaired_positions",
        4,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[2]
    j = torch.arange(d)
    ang = position_ids[:, :, None] / torch.pow(torch.tensor(base), 2 * (j // 2) / d)
    return embeddings * d ** 0.5 + torch.where(j % 2 == 0, torch.sin(ang), torch.cos(ang))
""",
    ),
    (
        "unique positions table and lookup",
        "repaired_positions",
        4,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[2]
    u, inv = position_ids.unique(return_inverse=True)
    ang = u[:, None] * base ** (-torch.arange(0, d + d % 2, 2) / d)
    table = torch.stack((ang.sin(), ang.cos()), 2).reshape(len(u), -1)[:, :d]
    return F.embedding(inv, table).add(embeddings.mul(math.sqrt(d)))
""",
    ),
    (
        "padding odd with F.pad",
        "repaired_positions",
        4,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):
    b, t, d = embeddings.shape
    waves = []
    for i in range((d + 1) // 2):
        a = position_ids.float() * base ** (-2 * i / d)
        waves.append(a.sin())
        if 2 * i + 1 < d:
            waves.append(a.cos())
    return torch.stack(waves, -1) + embeddings * math.sqrt(d)
""",
    ),
    (
        "cos and sin in bfloat16 products",
        "partial_rotary",
        4,
        r"""
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
""",
    ),
    (
        "list result, loops over batch",
        "partial_rotary",
        4,
        r"""
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
""",
    ),
    (
        "concatenates q and k along heads",
        "partial_rotary",
        4,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    both = torch.cat([query, key], 1)
    h = rotary_size // 2
    ang = torch.einsum('bt,p->btp', position_ids.float(), base ** (-torch.arange(h) * 2 / rotary_size)).unsqueeze(1)
    out = both.clone()
    out[..., :h] = (both[..., :h] * ang.cos() - both[..., h:rotary_size] * ang.sin()).to(both.dtype)
    out[..., h:rotary_size] = (both[..., h:rotary_size] * ang.cos() + both[..., :h] * ang.sin()).to(both.dtype)
    return out.split([query.size(1), key.size(1)], 1)
""",
    ),
    (
        "flat index list",
        "to_interleaved",
        4,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    out = {}
    for name, w in state.items():
        if name.startswith('query.') or name.startswith('key.'):
            n = num_attention_heads if name.startswith('query.') else num_key_value_heads
            size = w.shape[0] // n
            idx = []
            for h in range(n):
                for i in range(rotary_size // 2):
                    idx += [h * size + i, h * size + i + rotary_size // 2]
                idx += list(range(h * size + rotary_size, (h + 1) * size))
            out[name] = w[idx]
        else:
            out[name] = w.clone()
    return out
""",
    ),
    (
        "deepcopy and stack",
        "to_interleaved",
        4,
        r"""
import copy
def to_interleaved(state, nq, nk, r):
    new = copy.deepcopy(state)
    for name in new:
        if 'query' in name or 'key' in name:
            n = nq if 'query' in name else nk
            x = new[name].reshape(n, -1, *new[name].shape[1:])
            x[:, :r] = torch.stack([x[:, :r // 2], x[:, r // 2:r]], dim=2).reshape(x[:, :r].shape)
            new[name] = x.reshape(new[name].shape)
    return new
""",
    ),
    (
        "meshgrid, where",
        "alibi_mask",
        4,
        r"""
def alibi_mask(H, queries, keys, causal=True):
    P = 1
    while P * 2 <= H: P *= 2
    s = [2 ** (-8 * (h + 1) / P) for h in range(P)] + [2 ** (-4 * (2 * h + 1) / P) for h in range(H - P)]
    i, j = torch.meshgrid(torch.arange(queries) + keys - queries, torch.arange(keys), indexing='ij')
    m = -torch.tensor(s).view(H, 1, 1) * (i - j).abs()
    return torch.where((j > i) & causal, torch.tensor(-math.inf), m)
""",
    ),
    (
        "numpy-like loops in float64",
        "alibi_mask",
        4,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    n = num_attention_heads
    p = 2 ** math.floor(math.log2(n))
    slopes = [2 ** -(8 / p * (k + 1)) for k in range(p)]
    extra = [2 ** -(8 / (2 * p) * (k + 1)) for k in range(2 * p)][::2]
    slopes = (slopes + extra)[:n]
    return torch.tensor([[[float('-inf') if causal and j > keys - queries + i else -s * abs(keys - queries + i - j) for j in range(keys)] for i in range(queries)] for s in slopes])
""",
    ),
    (
        "additive triangle",
        "alibi_mask",
        4,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    p = 2 ** (num_attention_heads.bit_length() - 1)
    h = torch.arange(1, p + 1)
    slopes = torch.cat([2.0 ** (-8 * h / p), 2.0 ** (-8 * (2 * h - 1) / (2 * p))])[:num_attention_heads]
    rel = (torch.arange(keys) - torch.arange(keys - queries, keys).unsqueeze(1)).float()
    m = slopes.reshape(-1, 1, 1) * -rel.abs()
    if causal:
        m = m + torch.full((queries, keys), -math.inf).triu(keys - queries + 1)
    return m
""",
    ),
    (
        "F.pad shift",
        "next_position_ids",
        3,
        r"""
def next_position_ids(attention_mask, new_tokens):
    m = attention_mask.long()
    before = F.pad(m.cumsum(1), (1, 0))[:, :-1]
    return (before * m)[:, m.shape[1] - new_tokens:]
""",
    ),
    (
        "clamp and where",
        "next_position_ids",
        3,
        r"""
def next_position_ids(attention_mask, new_tokens):
    ids = torch.where(attention_mask == True, attention_mask.cumsum(-1) - 1, 0)
    return ids[..., -new_tokens:].contiguous()
""",
    ),
]
