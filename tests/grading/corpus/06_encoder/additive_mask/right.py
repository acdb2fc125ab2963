# %% by_outer_comparison | points 4 | by outer comparison
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

# %% loops | points 4 | loops
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

# %% torch_where_negated | points 4 | torch.where, negated
def additive_mask(lengths, tokens, dtype=torch.float32, allowed=None, left=False):
    start = (tokens - lengths if left else torch.zeros_like(lengths))[:, None]
    stop = start + lengths[:, None]
    place = torch.arange(tokens)[None]
    hidden = ((place < start) | (place >= stop)).view(-1, 1, 1, tokens)
    if allowed is not None:
        hidden = hidden | allowed.logical_not()
    return hidden.to(dtype) * torch.finfo(dtype).min
