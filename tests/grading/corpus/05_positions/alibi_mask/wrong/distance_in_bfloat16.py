# The distances are kept in bfloat16, which rounds them above 256.
# points: 0
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    power = 1 << (num_attention_heads.bit_length() - 1)
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    more = [2 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)]
    slopes = slopes + more[: num_attention_heads - power]
    query_places = torch.arange(keys - queries, keys)[:, None]
    key_places = torch.arange(keys)[None, :]
    distance = (query_places - key_places).abs().bfloat16()
    mask = -torch.tensor(slopes)[:, None, None] * distance
    if causal:
        mask = mask.masked_fill(key_places > query_places, -math.inf)
    return mask
