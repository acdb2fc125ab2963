# left by negative slicing, wrong for a length of zero or full
# points: 0

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    m = torch.full((len(lengths), 1, 1, tokens), torch.finfo(dtype).min, dtype=dtype)
    for i, n in enumerate(lengths.tolist()):
        m[i, ..., -n:] = 0
    m = m if left else m.flip(-1)
    return m if allowed is None else m.masked_fill(~allowed, torch.finfo(dtype).min)
