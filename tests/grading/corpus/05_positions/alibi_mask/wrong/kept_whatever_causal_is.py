# The mask is kept by heads, queries and keys, and not by causal.
# points: 3

_kept = {}

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    what = num_attention_heads, queries, keys
    if what not in _kept:
        power = 2 ** int(math.log2(num_attention_heads))
        slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
        between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
        slopes = torch.cat([slopes, between])[:num_attention_heads]
        apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
        mask = -slopes[:, None, None] * apart.abs()
        _kept[what] = mask.masked_fill(apart < 0, -math.inf) if causal else mask
    return _kept[what]

