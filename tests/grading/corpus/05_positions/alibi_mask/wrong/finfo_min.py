# finfo min
# points: 0

def sl(n):
    P = 2 ** int(math.log2(n))
    s = [2 ** (-8 * h / P) for h in range(1, P + 1)]
    d = [2 ** (-8 * h / (2 * P)) for h in range(1, 2 * P + 1)]
    return torch.tensor(s + d[0::2][: n - P])
def alibi_mask(num_attention_heads, queries, keys, causal=True):

    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -sl(num_attention_heads)[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, torch.finfo(torch.float32).min) if causal else bias
