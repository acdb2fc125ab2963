# numpy-like loops in float64
# points: 4

def alibi_mask(num_attention_heads, queries, keys, causal=True):
    n = num_attention_heads
    p = 2 ** math.floor(math.log2(n))
    slopes = [2 ** -(8 / p * (k + 1)) for k in range(p)]
    extra = [2 ** -(8 / (2 * p) * (k + 1)) for k in range(2 * p)][::2]
    slopes = (slopes + extra)[:n]
    return torch.tensor([[[float('-inf') if causal and j > keys - queries + i else -s * abs(keys - queries + i - j) for j in range(keys)] for i in range(queries)] for s in slopes])
