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
    (
        "number by number",
        "repaired_positions",
        4,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.shape[-1]
    columns = []
    for j in range(d):
        a = position_ids.double() / base ** ((j - j % 2) / d)
        columns.append(torch.cos(a) if j % 2 else torch.sin(a))
    return embeddings * d**0.5 + torch.stack(columns, dim=-1).float()
""",
    ),
    (
        "phase shift",
        "repaired_positions",
        4,
        r"""
def repaired_positions(embeddings, position_ids, base=10000.0):
    d = embeddings.size(-1)
    i = torch.arange(d)
    speed = torch.exp(-math.log(base) * (i - i % 2).double() / d)
    waves = torch.sin(position_ids.unsqueeze(-1) * speed + (i % 2) * math.pi / 2)
    return torch.add(waves.to(embeddings.dtype), embeddings, alpha=math.sqrt(d))
""",
    ),
    (
        "complex numbers",
        "partial_rotary",
        4,
        r"""
def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    h = rotary_size // 2
    speed = torch.tensor([base ** (-2 * i / rotary_size) for i in range(h)])
    turns = torch.polar(torch.ones(1), position_ids[:, None, :, None].float() * speed)
    out = []
    for x in (query, key):
        z = torch.complex(x[..., :h].float(), x[..., h:rotary_size].float()) * turns
        out.append(torch.cat([z.real, z.imag, x[..., rotary_size:].float()], -1).to(x.dtype))
    return tuple(out)
""",
    ),
    (
        "rotate half like hugging face",
        "partial_rotary",
        4,
        r"""
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
""",
    ),
    (
        "index per row",
        "to_interleaved",
        4,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    result = {k: v.clone() for k, v in state.items()}
    for part, n in {"query": num_attention_heads, "key": num_key_value_heads}.items():
        size = state[part + ".weight"].shape[0] // n
        for head in range(n):
            for i in range(rotary_size):
                old = head * size + i // 2 + (rotary_size // 2 if i % 2 else 0)
                result[part + ".weight"][head * size + i] = state[part + ".weight"][old]
                if part + ".bias" in state:
                    result[part + ".bias"][head * size + i] = state[part + ".bias"][old]
    return result
""",
    ),
    (
        "permutation matrix",
        "to_interleaved",
        4,
        r"""
def to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    def permuted(t, heads):
        size = t.shape[0] // heads
        h = rotary_size // 2
        one = torch.stack([torch.arange(h), torch.arange(h) + h], 1).reshape(-1)
        one = torch.cat([one, torch.arange(rotary_size, size)])
        index = (torch.arange(heads)[:, None] * size + one).reshape(-1)
        return t.index_select(0, index)
    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    return {k: permuted(v, heads[k.split(".")[0]]) if k.split(".")[0] in heads else v for k, v in state.items()}
""",
    ),
    (
        "loops",
        "alibi_mask",
        4,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    def slopes(n):
        return [2 ** (-8 * (h + 1) / n) for h in range(n)]
    p = 1
    while 2 * p <= num_attention_heads:
        p *= 2
    s = slopes(p) + slopes(2 * p)[0::2]
    mask = torch.empty(num_attention_heads, queries, keys)
    for h in range(num_attention_heads):
        for q in range(queries):
            for k in range(keys):
                at = keys - queries + q
                mask[h, q, k] = float("-inf") if causal and k > at else -s[h] * abs(at - k)
    return mask
""",
    ),
    (
        "triu of infinities",
        "alibi_mask",
        4,
        r"""
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    p = 1 << (num_attention_heads.bit_length() - 1)
    first = torch.logspace(-8 / p, -8, p, base=2.0)
    more = torch.logspace(-4 / p, -8, 2 * p, base=2.0)[::2]
    s = torch.cat((first, more[: num_attention_heads - p]))
    square = (torch.arange(keys)[None] - torch.arange(keys)[:, None]).abs().float()
    mask = -torch.einsum("h,qk->hqk", s, square[keys - queries :])
    if causal:
        mask = mask + torch.full((keys, keys), -torch.inf).triu(1)[-queries:]
    return mask
""",
    ),
    (
        "loop",
        "next_position_ids",
        3,
        r"""
def next_position_ids(attention_mask, new_tokens):
    rows = []
    for row in attention_mask.tolist():
        n, ids = 0, []
        for real in row:
            ids.append(n if real else 0)
            n += int(real)
        rows.append(ids[len(ids) - new_tokens :])
    return torch.tensor(rows, dtype=torch.int64)
""",
    ),
    (
        "product",
        "next_position_ids",
        3,
        r"""
def next_position_ids(attention_mask, new_tokens):
    real = (attention_mask > 0).to(torch.int64)
    before = real.cumsum(1) - real
    return (before * real).narrow(1, real.size(1) - new_tokens, new_tokens)
""",
    ),
]
