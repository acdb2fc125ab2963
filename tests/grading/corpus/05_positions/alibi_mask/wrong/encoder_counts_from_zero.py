# With causal=False the queries are taken for the first of the keys.
# points: 3
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = [2.0 ** (-8 * h / power) for h in range(1, power + 1)]
    slopes += [2.0 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)][: num_attention_heads - power]
    slopes = torch.tensor(slopes).view(-1, 1, 1)
    if not causal:
        apart = (torch.arange(queries)[:, None] - torch.arange(keys)).abs()
        return -slopes * apart
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    return (-slopes * apart).masked_fill(apart < 0, -math.inf)
