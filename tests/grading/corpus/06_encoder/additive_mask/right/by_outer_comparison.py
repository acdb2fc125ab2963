# by outer comparison
# points: 4

def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    low = torch.finfo(dtype).min
    rows = []
    for n in lengths.tolist():
        row = torch.cat([torch.zeros(n, dtype=dtype), torch.full((tokens - n,), low, dtype=dtype)])
        rows.append(row.flip(0) if left else row)
    mask = torch.stack(rows)[:, None, None, :]
    if allowed is not None:
        mask = mask.masked_fill(~allowed[None, None], low)
    return mask
