# loops
# points: 4

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    def slopes(n):
        return [2 ** (-8 * (h + 1) / n) for h in range(n)]
    p = 1
    while 2 * p <= num_attention_heads:
        p *= 2
    s = slopes(p) + slopes(2 * p)[0::2]
    mask = torch.empty(num_attention_heads, queries, keys)
    for h in range(num_attention_heads):
        for q in range(queries):
            for k in range(keys):
                at = keys - queries + q
                mask[h, q, k] = float("-inf") if causal and k > at else -s[h] * abs(at - k)
    return mask
