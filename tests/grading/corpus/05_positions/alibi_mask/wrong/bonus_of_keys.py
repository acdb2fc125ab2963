# As in BLOOM's code: slope times the position of the key, which a softmax can't tell from ALiBi; the numbers are others.
# points: 0
def alibi_mask(num_attention_heads: int, queries: int, keys: int, causal: bool = True) -> Tensor:
    """ALiBi as an additive mask for the last queries: [heads, queries, keys]."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    extra = 2.0 ** (-4 * torch.arange(1, 2 * power, 2) / power)
    slopes = torch.cat([slopes, extra])[:num_attention_heads][:, None, None]
    where = torch.arange(keys)
    query = torch.arange(keys - queries, keys)[:, None]
    if not causal:
        return -slopes * (query - where).abs()
    mask = (slopes * (where - (keys - 1))).expand(-1, queries, -1)
    return mask.masked_fill(where > query, -math.inf)
