# triu default diagonal
# points: 0

def alibi_mask(num_attention_heads, queries, keys, causal=True):

    slopes = 2 ** (-8 * torch.arange(1, num_attention_heads + 1) / num_attention_heads)
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)
    bias = -slopes[:, None, None] * apart.abs()
    hide = torch.ones(queries, keys).triu(1).bool()
    return bias.masked_fill(hide, -math.inf) if causal else bias
