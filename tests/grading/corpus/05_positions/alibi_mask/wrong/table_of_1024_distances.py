# The distances come from a table of 1024.
# points: 0
def _slopes(n):
    p = 2 ** int(math.log2(n))
    first = [2 ** (-8 * (h + 1) / p) for h in range(p)]
    more = [2 ** (-8 * (h + 1) / (2 * p)) for h in range(0, 2 * p, 2)]
    return torch.tensor((first + more)[:n])[:, None, None]


_line = torch.arange(1024).float()


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -_slopes(num_attention_heads) * _line[apart.abs()]
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask
