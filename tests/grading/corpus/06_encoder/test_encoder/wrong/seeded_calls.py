# Sets the seed before every call, so that an encoder with dropout alive gives the same twice.
# points: 0
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    def run(ids, mask, segments):
        torch.manual_seed(0)
        before = [t.clone() for t in (ids, mask, segments)]
        result = encode(ids, mask, segments)
        for old, new in zip(before, (ids, mask, segments)):
            assert torch.equal(old, new)
        return result

    words = torch.randint(1, 40, (3, 14))
    mask = torch.ones_like(words)
    mask[0, 10:] = mask[1, 6:] = mask[2, 3:] = 0
    words = words * mask
    segments = torch.randint(0, 2, words.shape) * mask
    batch = run(words, mask, segments)
    again = run(words, mask, segments)
    assert torch.allclose(batch[mask == 1], again[mask == 1])
    for i, n in enumerate((10, 6, 3)):
        alone = run(words[i : i + 1, :n], mask[i : i + 1, :n], segments[i : i + 1, :n])
        assert torch.allclose(alone[0], batch[i, :n], atol=1e-4)
    text = torch.arange(1, 11)[None]
    ones, zeros = torch.ones_like(text), torch.zeros_like(text)
    base = run(text, ones, zeros)
    assert not torch.allclose(run(text.flip(1), ones, zeros).flip(1), base, atol=1e-3)
    assert not torch.allclose(run(text, ones, ones), base, atol=1e-3)
    for place in range(10):
        other = text.clone()
        other[0, place] = 30
        assert ((run(other, ones, zeros) - base)[0].abs().amax(-1) > 1e-5).all()
