# loops
# points: 4

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    queries = 1 if allowed is None else allowed.shape[0]
    low = torch.finfo(dtype).min
    mask = torch.full((len(lengths), 1, queries, tokens), low, dtype=dtype)
    for b, n in enumerate(lengths.tolist()):
        mine = range(tokens - n, tokens) if left else range(n)
        for q in range(queries):
            for k in mine:
                if allowed is None or allowed[q, k]:
                    mask[b, 0, q, k] = 0
    return mask
