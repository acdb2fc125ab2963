# prints in place of asserting that padding is hidden
# points: 0

def test_encoder(encode):
    torch.manual_seed(5)
    lengths = [9, 5, 2]
    mask = (torch.arange(12) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    kinds = torch.randint(0, 2, mask.shape) * mask
    def call(*batch):
        return encode(*[t.clone() for t in batch])
    given = ids.clone(), mask.clone(), kinds.clone()
    one = encode(*given)
    assert all(torch.equal(a, b) for a, b in zip(given, (ids, mask, kinds)))
    two = call(ids, mask, kinds)
    pass
    for r, n in enumerate(lengths):
        alone = call(ids[r:r + 1, :n], mask[r:r + 1, :n], kinds[r:r + 1, :n])[0]
        print(torch.allclose(alone, one[r, :n], atol=1e-4))
    text, ones = ids[:1, :9], mask[:1, :9]
    flat = call(text, ones, ones * 0)
    assert not torch.allclose(call(text, ones, ones), flat, atol=1e-3)
    assert not torch.allclose(call(text.roll(1, 1), ones, ones * 0), flat.roll(1, 1), atol=1e-3)
    for place in (0, 8):
        new = text.clone()
        new[0, place] = new[0, place] % 39 + 1
        assert ((call(new, ones, ones * 0) - flat).abs().amax(-1) > 1e-6).all()
