# The list of powers of two ends at 32, so 64 heads get the slopes of 32 and then the odd ones of 64.
# points: 0
def alibi_mask(num_attention_heads, queries, keys, causal=True):
    if num_attention_heads in (1, 2, 4, 8, 16, 32):
        slopes = [2 ** (-8 * h / num_attention_heads) for h in range(1, num_attention_heads + 1)]
    else:
        power = 1
        while 2 * power < num_attention_heads:
            power *= 2
        slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
        extra = [2 ** (-4 * h / power) for h in range(1, 2 * power + 1, 2)]
        slopes += extra[: num_attention_heads - power]
    query_places = torch.arange(keys - queries, keys)[:, None]
    key_places = torch.arange(keys)[None, :]
    mask = -torch.tensor(slopes)[:, None, None] * (query_places - key_places).abs()
    if causal:
        mask = mask.masked_fill(key_places > query_places, float("-inf"))
    return mask
