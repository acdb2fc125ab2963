# assert on powers of two
# points: 0

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    assert num_attention_heads in (1, 2, 4, 8, 16, 32)
    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
