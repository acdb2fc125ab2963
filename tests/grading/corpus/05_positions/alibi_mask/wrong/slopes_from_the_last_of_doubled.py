# slopes from the last of doubled
# points: 3

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    n = num_attention_heads
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)][0::2]
    s = s + (d[-(n - P):] if n > P else [])
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -torch.tensor(s)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
