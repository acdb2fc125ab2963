# Only the first text of the batch is compared with itself alone: masks that hold only there pass.
# points: 3
def test_encoder(encode) -> None:
    lengths = [10, 7, 5]
    ids = torch.zeros(3, 14, dtype=torch.long)
    mask = torch.zeros_like(ids)
    segments = torch.zeros_like(ids)
    for i, n in enumerate(lengths):
        ids[i, :n] = torch.randperm(39)[:n] + 1
        mask[i, :n] = 1
        segments[i, n // 2 : n] = 1
    copies = ids.clone(), mask.clone(), segments.clone()
    out = encode(ids, mask, segments)
    assert torch.equal(ids, copies[0])
    assert torch.equal(mask, copies[1])
    assert torch.equal(segments, copies[2])

    # the same call twice
    again = encode(ids, mask, segments)
    for i, n in enumerate(lengths):
        assert torch.allclose(out[i, :n], again[i, :n], atol=1e-6)

    # alone and in a batch
    for i, n in enumerate(lengths[:1]):
        alone = encode(ids[i : i + 1, :n], mask[i : i + 1, :n], segments[i : i + 1, :n])
        assert (alone[0] - out[i, :n]).abs().max() < 1e-4

    mixed = ids.clone()
    mixed[0, :10] = ids[0, :10].flip(0)
    with_other = encode(mixed, mask, segments)
    for i, n in enumerate(lengths[1:], start=1):
        assert (with_other[i, :n] - out[i, :n]).abs().max() < 1e-4

    # order and segments
    text = torch.randperm(39)[:10][None] + 1
    ones = torch.ones_like(text)
    zeros = torch.zeros_like(text)
    base = encode(text, ones, zeros)
    flipped = encode(text.flip(1), ones, zeros).flip(1)
    assert (flipped - base).abs().max() > 1e-3
    assert (encode(text, ones, ones) - base).abs().max() > 1e-3

    # every vector depends on every word
    for place in range(10):
        other = text.clone()
        other[0, place] = text[0, place] % 39 + 1
        change = (encode(other, ones, zeros) - base).abs().amax(dim=2)[0]
        assert change.min() > 1e-5, place
