# Hands the mask over as booleans, though an encoder is promised whole numbers.
# points: 0

def test_encoder(encode):
    lengths = [8, 5, 2]
    width = 11
    ids = torch.zeros(3, width, dtype=torch.long)
    for row, n in zip(ids, lengths):
        row[:n] = torch.randint(1, 40, (n,))
    mask = ids != 0
    segments = torch.randint(0, 2, ids.shape) * mask

    # 5. arguments
    a, b, c = ids.clone(), mask.clone(), segments.clone()
    together = encode(ids, mask, segments)
    assert torch.equal(a, ids) and torch.equal(b, mask) and torch.equal(c, segments)
    # 3. the same call
    again = encode(ids, mask, segments)
    assert torch.equal(together[mask.bool()], again[mask.bool()])
    # 1. alone
    for i, n in enumerate(lengths):
        alone = encode(ids[i : i + 1, :n], mask[i : i + 1, :n], segments[i : i + 1, :n])
        assert torch.allclose(together[i, :n], alone[0], atol=1e-4)
    # 2. order and segments
    words = torch.randperm(39)[None, :9] + 1
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    base = encode(words, ones, zeros)
    order = torch.arange(8, -1, -1)
    assert not torch.allclose(encode(words[:, order], ones, zeros), base[:, order], atol=1e-3)
    assert not torch.allclose(encode(words, ones, ones), base, atol=1e-3)
    # 4. every word
    for place in range(9):
        other = words.clone()
        other[0, place] = words[0, place] % 39 + 1
        change = (encode(other, ones, zeros) - base).abs().amax(-1)
        assert (change > 1e-6).all()
