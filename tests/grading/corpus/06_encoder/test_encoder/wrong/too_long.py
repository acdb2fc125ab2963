# Pads to 24 tokens, more than an encoder must be able to read, so right encoders crash.
# points: 0
def test_encoder(encode) -> None:
    lengths = torch.tensor([16, 8, 3])
    mask = (torch.arange(24) < lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask
    given = [ids.clone(), mask.clone(), segments.clone()]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments)):
        assert torch.equal(after, before)
    assert torch.allclose(together[mask == 1], encode(ids, mask, segments)[mask == 1], atol=1e-6)
    for i, n in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1, :n] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :n], alone[0], atol=1e-4, rtol=1e-4)
    words = torch.randint(1, 40, (1, 12))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    assert not torch.allclose(encode(words.roll(1, 1), ones, zeros), right.roll(1, 1), atol=1e-3)
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3)
    for place in range(12):
        changed = words.clone()
        changed[0, place] = changed[0, place] % 39 + 1
        assert ((encode(changed, ones, zeros) - right)[0].abs().amax(-1) > 1e-5).all()
