# slopes interleaved merge
# points: 3

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    P = 2 ** int(math.log2(num_attention_heads))
    s = sorted([2 ** (-8 * h / P) for h in range(1, P + 1)] + [2 ** (-4 * h / P) for h in range(1, 2 * P, 2)][: num_attention_heads - P])[::-1]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -torch.tensor(s)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
