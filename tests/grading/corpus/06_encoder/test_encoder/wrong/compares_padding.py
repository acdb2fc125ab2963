# Compares the rows of padding as well, which may hold anything: rejects right encoders whose padding rows are NaN or random.
# points: 0
def test_encoder(encode) -> None:
    ids = torch.randint(1, 40, (3, 12))
    mask = torch.ones_like(ids)
    for i, n in enumerate((12, 7, 3)):
        ids[i, n:] = 0
        mask[i, n:] = 0
    types = torch.zeros_like(ids)
    out = encode(ids, mask, types)
    assert torch.allclose(out, encode(ids, mask, types))
    longer = [torch.cat([t, torch.zeros(3, 3, dtype=torch.long)], dim=1) for t in (ids, mask, types)]
    assert torch.allclose(encode(*longer)[:, :12], out, atol=1e-4), "padding changes the result"
    for i in range(3):
        single = encode(ids[i : i + 1], mask[i : i + 1], types[i : i + 1])
        assert torch.allclose(single[0], out[i], atol=1e-4), "texts of a batch mix"
    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    assert not torch.allclose(encode(words.roll(1, 1), ones, zeros), right.roll(1, 1), atol=1e-3)
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3)
    for place in (0, 8):
        changed = words.clone()
        changed[0, place] = changed[0, place] % 39 + 1
        assert ((encode(changed, ones, zeros) - right).abs().amax(-1) > 1e-5).all()
