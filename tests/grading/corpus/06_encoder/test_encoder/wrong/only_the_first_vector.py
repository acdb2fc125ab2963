# only the first vector
# points: 3

def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :1], alone[:1], atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()
