# The power of two is the nearest one, which may be larger than the number of heads.
# points: 3
def _slopes(heads):
    power = 2 ** round(math.log2(heads))
    slopes = [2 ** (-8 * h / power) for h in range(1, power + 1)]
    slopes += [2 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1, 2)]
    return torch.tensor(slopes[:heads])


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys - queries, keys)[:, None]
    distance = torch.arange(keys)[None, :] - places
    mask = -_slopes(num_attention_heads)[:, None, None] * distance.abs()
    if causal:
        mask = mask.masked_fill(distance > 0, float("-inf"))
    return mask
