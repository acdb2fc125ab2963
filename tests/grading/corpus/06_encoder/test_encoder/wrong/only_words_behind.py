# Changes only words behind the middle, so encoders that do not look back at the first ones pass.
# points: 3
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    torch.manual_seed(0)
    lengths = [10, 6, 2]
    mask = torch.zeros(3, 13, dtype=torch.long)
    for i, n in enumerate(lengths):
        mask[i, :n] = 1
    ids = torch.randint(1, 40, (3, 13)) * mask
    segments = torch.randint(0, 2, (3, 13)) * mask
    given = (ids.clone(), mask.clone(), segments.clone())
    together = encode(*given)
    assert all(torch.equal(a, b) for a, b in zip(given, (ids, mask, segments)))
    again = encode(ids, mask, segments)
    for i, n in enumerate(lengths):
        assert torch.allclose(together[i, :n], again[i, :n], atol=1e-5)
        alone = encode(ids[i : i + 1, :n], mask[i : i + 1, :n], segments[i : i + 1, :n])
        assert torch.allclose(together[i, :n], alone[0], rtol=1e-4, atol=1e-4)
    words = torch.randperm(39)[None, :9] + 1
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    order = torch.arange(8, -1, -1)
    turned = encode(words[:, order], ones, zeros)
    assert not torch.allclose(turned[:, order], right, atol=1e-3)
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3)
    for place in range(5, 9):
        changed = words.clone()
        changed[0, place] = words[0, place] % 39 + 1
        moved = (encode(changed, ones, zeros) - right).abs().amax(dim=-1)
        assert (moved > 1e-5).all()
