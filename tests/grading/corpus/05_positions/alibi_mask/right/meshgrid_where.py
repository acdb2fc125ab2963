# meshgrid, where
# points: 4

def alibi_mask(H, queries, keys, causal=True):
    P = 1
    while P * 2 <= H: P *= 2
    s = [2 ** (-8 * (h + 1) / P) for h in range(P)] + [2 ** (-4 * (2 * h + 1) / P) for h in range(H - P)]
    i, j = torch.meshgrid(torch.arange(queries) + keys - queries, torch.arange(keys), indexing='ij')
    m = -torch.tensor(s).view(H, 1, 1) * (i - j).abs()
    return torch.where((j > i) & causal, torch.tensor(-math.inf), m)
