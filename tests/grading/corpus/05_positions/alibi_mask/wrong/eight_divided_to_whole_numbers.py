# The step of the exponents is 8 // heads, which is 0 for more than eight heads.
# points: 0
def _slopes(heads):
    power = 2 ** int(math.log2(heads))
    slopes = [2.0 ** (-(8 // power) * h) for h in range(1, power + 1)]
    slopes += [2.0 ** (-8 * h / (2 * power)) for h in range(1, 2 * power + 1, 2)][: heads - power]
    return torch.tensor(slopes)


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys - queries, keys)[:, None]
    distance = torch.arange(keys)[None, :] - places
    mask = -_slopes(num_attention_heads)[:, None, None] * distance.abs()
    if causal:
        mask = mask.masked_fill(distance > 0, float("-inf"))
    return mask
