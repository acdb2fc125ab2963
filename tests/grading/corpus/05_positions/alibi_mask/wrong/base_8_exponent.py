# base 8 exponent
# points: 0

def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-torch.arange(1, power + 1).float())
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    mask = -slopes[:, None, None] * apart.abs()
    return mask.masked_fill(apart < 0, -math.inf) if causal else mask
