# %% additive_triangle | points 4 | additive triangle
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    p = 2 ** (num_attention_heads.bit_length() - 1)
    h = torch.arange(1, p + 1)
    slopes = torch.cat([2.0 ** (-8 * h / p), 2.0 ** (-8 * (2 * h - 1) / (2 * p))])[:num_attention_heads]
    rel = (torch.arange(keys) - torch.arange(keys - queries, keys).unsqueeze(1)).float()
    m = slopes.reshape(-1, 1, 1) * -rel.abs()
    if causal:
        m = m + torch.full((queries, keys), -math.inf).triu(keys - queries + 1)
    return m

# %% loops | points 4 | loops
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

# %% lru_cache | points 4 | remembers by all arguments
def slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    p = 1 << (n.bit_length() - 1)
    return slopes(p) + slopes(2 * p)[::2][: n - p]

import functools

@functools.lru_cache(maxsize=None)
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    d = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)[None, :]
    bias = -torch.tensor(slopes(num_attention_heads)).view(-1, 1, 1) * d.abs()
    return bias.masked_fill(d < 0, float("-inf")) if causal else bias

# %% meshgrid_where | points 4 | meshgrid, where
def alibi_mask(H, queries, keys, causal=True):
    P = 1
    while P * 2 <= H: P *= 2
    s = [2 ** (-8 * (h + 1) / P) for h in range(P)] + [2 ** (-4 * (2 * h + 1) / P) for h in range(H - P)]
    i, j = torch.meshgrid(torch.arange(queries) + keys - queries, torch.arange(keys), indexing='ij')
    m = -torch.tensor(s).view(H, 1, 1) * (i - j).abs()
    return torch.where((j > i) & causal, torch.tensor(-math.inf), m)

# %% numpy_like_loops_in_float64 | points 4 | numpy-like loops in float64
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    n = num_attention_heads
    p = 2 ** math.floor(math.log2(n))
    slopes = [2 ** -(8 / p * (k + 1)) for k in range(p)]
    extra = [2 ** -(8 / (2 * p) * (k + 1)) for k in range(2 * p)][::2]
    slopes = (slopes + extra)[:n]
    return torch.tensor([[[float('-inf') if causal and j > keys - queries + i else -s * abs(keys - queries + i - j) for j in range(keys)] for i in range(queries)] for s in slopes])

# %% triu_of_infinities | points 4 | triu of infinities
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
