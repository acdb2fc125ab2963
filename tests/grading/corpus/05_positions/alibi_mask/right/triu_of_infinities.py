# triu of infinities
# points: 4

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    p = 1 << (num_attention_heads.bit_length() - 1)
    first = torch.logspace(-8 / p, -8, p, base=2.0)
    more = torch.logspace(-4 / p, -8, 2 * p, base=2.0)[::2]
    s = torch.cat((first, more[: num_attention_heads - p]))
    square = (torch.arange(keys)[None] - torch.arange(keys)[:, None]).abs().float()
    mask = -torch.einsum("h,qk->hqk", s, square[keys - queries :])
    if causal:
        mask = mask + torch.full((keys, keys), -torch.inf).triu(1)[-queries:]
    return mask
