# additive triangle
# points: 4

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    p = 2 ** (num_attention_heads.bit_length() - 1)
    h = torch.arange(1, p + 1)
    slopes = torch.cat([2.0 ** (-8 * h / p), 2.0 ** (-8 * (2 * h - 1) / (2 * p))])[:num_attention_heads]
    rel = (torch.arange(keys) - torch.arange(keys - queries, keys).unsqueeze(1)).float()
    m = slopes.reshape(-1, 1, 1) * -rel.abs()
    if causal:
        m = m + torch.full((queries, keys), -math.inf).triu(keys - queries + 1)
    return m
