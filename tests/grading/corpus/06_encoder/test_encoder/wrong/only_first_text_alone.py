# Compares only the first text of the batch with itself alone, and sees no segments that are set to 0, for its own are 0.
# points: 2
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = [5, 12, 9]
    ids = torch.zeros(3, 15, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for i, n in enumerate(lengths):
        ids[i, :n] = torch.randint(1, 40, (n,))
        mask[i, :n] = 1
    seg = torch.zeros_like(ids)
    copies = ids.clone(), mask.clone(), seg.clone()
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(copies, (ids, mask, seg)))
    out2 = encode(ids, mask, seg)
    real = mask == 1
    assert torch.equal(out[real], out2[real])
    alone = encode(ids[:1, :5], mask[:1, :5], seg[:1, :5])
    assert (out[0, :5] - alone[0]).abs().max() < 1e-4
    text = torch.randperm(39)[:10][None] + 1
    one, zero = torch.ones_like(text), torch.zeros_like(text)
    base = encode(text, one, zero)
    assert (encode(text.roll(3, 1), one, zero).roll(-3, 1) - base).abs().max() > 1e-3
    assert (encode(text, one, one) - base).abs().max() > 1e-3
    for i in range(10):
        new = text.clone()
        new[0, i] = text[0, i] % 39 + 1
        diff = (encode(new, one, zero) - base).abs().amax(-1)
        assert diff.min() > 1e-6
