# one long text, cut
# points: 4

def test_encoder(encode):
    gen = torch.Generator().manual_seed(5)
    a = torch.randint(1, 40, (1, 12), generator=gen)
    b = torch.randint(1, 40, (1, 6), generator=gen)
    def alone(ids, seg=None):
        return encode(ids.clone(), torch.ones_like(ids), torch.zeros_like(ids) if seg is None else seg.clone())
    def both(first, second):
        n = max(first.size(1), second.size(1)) + 4
        ids = torch.cat([F.pad(first, (0, n - first.size(1))), F.pad(second, (0, n - second.size(1)))])
        mask = (ids > 0).long()
        seg = torch.zeros_like(ids)
        seg[:, 0] = 1
        save = ids.clone(), mask.clone(), seg.clone()
        result = encode(ids, mask, seg)
        if not (ids.equal(save[0]) and mask.equal(save[1]) and seg.equal(save[2])):
            raise ValueError("changed")
        return result
    def with_one(ids):
        seg = torch.zeros_like(ids)
        seg[:, 0] = 1
        return alone(ids, seg)
    for x, y in ((a, b), (b, a)):
        out = both(x, y)
        for i, z in enumerate((x, y)):
            if (out[i, :z.size(1)] - with_one(z)[0]).abs().max() > 2e-4:
                raise ValueError("padding")
    if (with_one(a) - alone(a)).abs().max() < 1e-3:
        raise ValueError("segments")
    if (alone(a[:, :1].repeat(1, 5))[0].std(0)).max() < 1e-3:
        raise ValueError("positions")
    if not torch.equal(alone(a), alone(a)):
        raise ValueError("chance")
    for place in (0, 5, 11):
        c = a.clone()
        c[0, place] = (c[0, place] + 3) % 39 + 1
        if ((alone(c) - alone(a)).abs().sum(-1) < 1e-6).any():
            raise ValueError("context")
