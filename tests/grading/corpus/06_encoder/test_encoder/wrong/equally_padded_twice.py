# compares a text with itself in a call where it is padded as much, in all rows
# points: 0

def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
    mask = (torch.arange(12) < lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask

    given = [ids.clone(), mask.clone(), segments.clone()]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments), strict=True):
        assert torch.equal(after, before), "an argument was changed"
    again = encode(ids, mask, segments)
    assert torch.equal(together[mask == 1], again[mask == 1]), "twice the same"

    for i, length in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (0, 8):
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"
