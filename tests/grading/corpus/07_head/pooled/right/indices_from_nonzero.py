# indices from nonzero
# points: 4

def pooled(h, mask, kind):
    out = torch.zeros_like(h[:, 0])
    for i, row in enumerate(mask):
        where = row.nonzero().flatten()
        if where.numel():
            v = h[i, where]
            pick = {"mean": v.mean(0), "max": v.amax(0), "first": v[0], "last": v[-1]}
            out[i] = pick[kind]
    return out
