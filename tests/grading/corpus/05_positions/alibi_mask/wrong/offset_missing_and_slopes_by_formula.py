# offset missing and slopes by formula
# points: 0

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(queries)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
