# one mask for each number of keys
# points: 0

def slopes(n):
    if n & (n - 1) == 0:
        return [2 ** (-8 * (i + 1) / n) for i in range(n)]
    p = 1 << (n.bit_length() - 1)
    return slopes(p) + slopes(2 * p)[::2][: n - p]

masks = {}

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    if (keys, causal) not in masks:
        d = torch.arange(keys)[:, None] - torch.arange(keys)[None, :]
        bias = -torch.tensor(slopes(num_attention_heads)).view(-1, 1, 1) * d.abs()
        masks[keys, causal] = bias.masked_fill(d < 0, float("-inf")) if causal else bias
    return masks[keys, causal][:num_attention_heads, -queries:]
