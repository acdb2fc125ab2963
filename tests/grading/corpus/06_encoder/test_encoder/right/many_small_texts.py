# many small texts
# points: 4

def test_encoder(encode):
    torch.manual_seed(3)
    for _ in range(3):
        lengths = [10, 6, 3, 8]
        ids = torch.zeros(4, 14, dtype=torch.long)
        seg = torch.zeros_like(ids)
        for r, n in enumerate(lengths):
            ids[r, :n] = torch.randperm(39)[:n] + 1
            seg[r, n // 2 : n] = 1
        mask = (ids > 0).long()
        a, b, c = ids.clone(), mask.clone(), seg.clone()
        full = encode(ids, mask, seg)
        assert (a == ids).all() and (b == mask).all() and (c == seg).all()
        full2 = encode(ids, mask, seg)
        for r, n in enumerate(lengths):
            assert (full[r, :n] - full2[r, :n]).abs().max() < 1e-6
            one = encode(ids[r : r + 1, :n].clone(), torch.ones(1, n, dtype=torch.long), seg[r : r + 1, :n].clone())[0]
            assert (one - full[r, :n]).abs().max() < 1e-4
            if n < 6:
                continue
            w = ids[r : r + 1, :n]
            m, s = torch.ones_like(w), torch.zeros_like(w)
            base = encode(w, m, s)[0]
            back = encode(w.flip(1), m, s)[0].flip(0)
            assert (base - back).abs().max() > 1e-3
            assert (base - encode(w, m, m)[0]).abs().max() > 1e-3
            for j in range(n):
                v = w.clone()
                v[0, j] = w[0, j] % 39 + 1
                d = (encode(v, m, s)[0] - base).abs().max(-1).values
                assert d.min() > 1e-5
