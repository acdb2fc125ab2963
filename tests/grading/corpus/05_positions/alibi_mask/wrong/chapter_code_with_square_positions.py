# chapter code with square positions
# points: 0

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    p = torch.arange(keys)
    apart = p[:queries, None] - p[None]
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
