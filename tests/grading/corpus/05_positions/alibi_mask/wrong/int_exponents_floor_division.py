# int exponents floor division
# points: 0

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2.0 ** (-(8 // num_attention_heads) * torch.arange(1, num_attention_heads + 1))
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    return bias.masked_fill(apart < 0, -math.inf) if causal else bias
