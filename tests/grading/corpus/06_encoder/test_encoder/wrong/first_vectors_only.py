# Compares only the first vector of each text with that of the text alone, as a classifier would read it.
# points: 3
def test_encoder(encode) -> None:
    torch.manual_seed(0)
    lengths = [9, 5, 3]
    ids = torch.zeros(3, 12, dtype=torch.long)
    for i, n in enumerate(lengths):
        ids[i, :n] = torch.randint(1, 40, (n,))
    mask = (ids > 0).long()
    segments = torch.zeros_like(ids)
    keep = ids.clone(), mask.clone(), segments.clone()
    cls = encode(ids, mask, segments)
    for a, b in zip(keep, (ids, mask, segments)):
        assert torch.equal(a, b)
    twice = encode(ids, mask, segments)
    assert torch.allclose(cls[mask == 1], twice[mask == 1], atol=1e-5)
    for i, n in enumerate(lengths):
        alone = encode(ids[i : i + 1, :n], mask[i : i + 1, :n], segments[i : i + 1, :n])
        assert torch.allclose(cls[i, 0], alone[0, 0], atol=1e-4)
    words = torch.randperm(39)[None, :9] + 1
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    out = encode(words, ones, zeros)
    back = encode(words.flip(1), ones, zeros).flip(1)
    assert (out - back).abs().max() > 1e-3
    assert (out - encode(words, ones, ones)).abs().max() > 1e-3
    for place in range(9):
        changed = words.clone()
        changed[0, place] = words[0, place] % 39 + 1
        assert (encode(changed, ones, zeros) - out)[0].abs().amax(-1).min() > 1e-4
