# Only the last text of the batch is compared with itself alone, and nobody looks whether arguments are changed.
# points: 2
def test_encoder(encode) -> None:
    lengths = [12, 8, 5]
    ids = torch.zeros(3, 16, dtype=torch.long)
    for i, n in enumerate(lengths):
        ids[i, :n] = torch.randint(1, 40, (n,))
    mask = (ids > 0).long()
    segments = torch.zeros_like(ids)
    out = encode(ids.clone(), mask.clone(), segments.clone())
    out2 = encode(ids.clone(), mask.clone(), segments.clone())
    assert torch.allclose(out[mask.bool()], out2[mask.bool()], atol=1e-6)
    alone = encode(ids[2:, :5].clone(), mask[2:, :5].clone(), segments[2:, :5].clone())
    assert torch.allclose(alone[0], out[2, :5], atol=1e-4)
    words = torch.randperm(39)[None, :9] + 1
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    base = encode(words.clone(), ones.clone(), zeros.clone())
    back = encode(words.flip(1), ones.clone(), zeros.clone()).flip(1)
    assert not torch.allclose(base, back, atol=1e-3)
    other = encode(words.clone(), ones.clone(), ones.clone())
    assert not torch.allclose(base, other, atol=1e-3)
    for place in (0, 4, 8):
        changed = words.clone()
        changed[0, place] = changed[0, place] % 39 + 1
        moved = (encode(changed, ones.clone(), zeros.clone()) - base).abs().amax(-1)
        assert (moved > 1e-6).all()
