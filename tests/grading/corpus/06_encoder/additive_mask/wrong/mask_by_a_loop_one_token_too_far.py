# mask by a loop, one token too far
# points: 0

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    m = torch.full((len(lengths), 1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
    for i, n in enumerate(lengths):
        m[i, ..., : n + 1] = 0
    if allowed is not None:
        m = m.masked_fill(~allowed, torch.finfo(dtype).min)
    return m.flip(-1) if left else m
