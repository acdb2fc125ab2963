# %% any_instead_of_all | points 3 | any instead of all
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

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
        assert (moved > 1e-5).any(), "some vectors do not depend on this word"

# %% any_vector_moved | points 3 | any vector moved
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).any()

# %% boolean_mask | points 0 | Hands the mask over as booleans, though an encoder is promised whole numbers.
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

# %% coarse | points 3 | Accepts differences up to 0.02, so padding may count a little.
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=2e-2, rtol=2e-2)

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

# %% compares_padding | points 0 | Compares the rows of padding as well, which may hold anything: rejects right encoders whose padding rows are NaN or random.
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

# %% compares_padding_as_well | points 0 | compares padding as well
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i], F.pad(alone, (0, 0, 0, 13 - n)), atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% equal_to_the_last_digit | points 0 | equal to the last digit
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.equal(out[i, :n], alone)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% equally_padded_twice | points 0 | compares a text with itself in a call where it is padded as much, in all rows
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

# %% first_text_fills_the_batch | points 3 | The first text fills the batch without padding, so a mask that fails for it alone is not found.
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([12, 4, 2])
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randperm(39)[None, :9] + 1
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (0, 8):
        changed = words.clone()
        changed[0, place] = changed[0, place] % 39 + 1
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"

# %% first_text_only | points 3 | Only the first text of the batch is compared with itself alone: masks that hold only there pass.
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

# %% float_mask | points 0 | hands the mask over as floats
def test_encoder(encode):
    lengths = [8, 5, 2]
    width = 11
    ids = torch.zeros(3, width, dtype=torch.long)
    for row, n in zip(ids, lengths):
        row[:n] = torch.randint(1, 40, (n,))
    mask = (ids != 0).float()
    segments = torch.randint(0, 2, ids.shape) * mask.long()

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

# %% last_text_only | points 2 | Only the last text of the batch is compared with itself alone, and nobody looks whether arguments are changed.
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

# %% looks_at_ids_only | points 3 | only the ids are compared afterwards
def test_encoder(encode):
    torch.manual_seed(5)
    lengths = [9, 5, 2]
    mask = (torch.arange(12) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    kinds = torch.randint(0, 2, mask.shape) * mask
    def call(*batch):
        return encode(*[t.clone() for t in batch])
    given = ids.clone(), mask.clone(), kinds.clone()
    one = encode(*given)
    assert torch.equal(given[0], ids)
    two = call(ids, mask, kinds)
    assert torch.equal(one[mask == 1], two[mask == 1])
    for r, n in enumerate(lengths):
        alone = call(ids[r:r + 1, :n], mask[r:r + 1, :n], kinds[r:r + 1, :n])[0]
        assert torch.allclose(alone, one[r, :n], atol=1e-4)
    text, ones = ids[:1, :9], mask[:1, :9]
    flat = call(text, ones, ones * 0)
    assert not torch.allclose(call(text, ones, ones), flat, atol=1e-3)
    assert not torch.allclose(call(text.roll(1, 1), ones, ones * 0), flat.roll(1, 1), atol=1e-3)
    for place in (0, 8):
        new = text.clone()
        new[0, place] = new[0, place] % 39 + 1
        assert ((call(new, ones, ones * 0) - flat).abs().amax(-1) > 1e-6).all()

# %% loose_and_law_four_by_the_last | points 2 | Allows 0.01 of difference, so padding that counts a little passes, and changes the last word only.
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=5e-3, rtol=0)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (8,):
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"

# %% mean_of_everything_compared | points 0 | mean of everything compared
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i].mean(0), alone.mean(0), atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% no_clone | points 3 | no clone
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
    mask = (torch.arange(12) < lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask

    given = [ids, mask, segments]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments), strict=True):
        assert torch.equal(after, before), "an argument was changed"
    again = encode(ids, mask, segments)
    assert torch.equal(together[mask == 1], again[mask == 1]), "twice the same"

    for i, length in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

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

# %% no_copies | points 3 | no copies
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids.clone(), mask.clone(), seg.clone())
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w.clone(), one.clone(), zero.clone())
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% no_dependence_test | points 3 | no dependence test
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in ():
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"

# %% no_order | points 0 | no order
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% no_segments | points 0 | no segments
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% only_first_text_alone | points 2 | Compares only the first text of the batch with itself alone, and sees no segments that are set to 0, for its own are 0.
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

# %% only_first_word_and_last_text_full | points 2 | Changes only the first word, so a causal encoder passes, and the last text has no padding.
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([4, 9, 12])
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randperm(39)[None, :9] + 1
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (0,):
        changed = words.clone()
        changed[0, place] = changed[0, place] % 39 + 1
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"

# %% only_one_word_changed_the_first | points 3 | only one word changed: the first
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

    words = torch.randint(1, 40, (1, 9))
    ones, zeros = torch.ones_like(words), torch.zeros_like(words)
    right = encode(words, ones, zeros)
    rolled = encode(words.roll(1, dims=1), ones, zeros)
    assert not torch.allclose(rolled, right.roll(1, dims=1), atol=1e-3), "no positions"
    assert not torch.allclose(encode(words, ones, ones), right, atol=1e-3), "no segments"
    for place in (0,):
        changed = words.clone()
        changed[0, place] = 40 - changed[0, place] if changed[0, place] != 20 else 7
        moved = (encode(changed, ones, zeros) - right)[0].abs().amax(dim=-1)
        assert (moved > 1e-5).all(), "some vectors do not depend on this word"

# %% only_the_first_vector | points 3 | only the first vector
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :1], alone[:1], atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% only_the_last_vector | points 3 | only the last vector
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, n - 1 : n], alone[-1:], atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% only_the_last_word | points 3 | only the last word
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (9,):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% only_the_second_of_three_texts | points 3 | only the second of three texts
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in [(1, 5)]:
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% only_words_behind | points 3 | Changes only words behind the middle, so encoders that do not look back at the first ones pass.
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

# %% order_vacuous | points 0 | order vacuous
def test_encoder(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base, atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% padding_must_repeat | points 0 | all rows must be the same twice, those of padding, too
def test_encoder(encode):
    torch.manual_seed(5)
    lengths = [9, 5, 2]
    mask = (torch.arange(12) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    kinds = torch.randint(0, 2, mask.shape) * mask
    def call(*batch):
        return encode(*[t.clone() for t in batch])
    given = ids.clone(), mask.clone(), kinds.clone()
    one = encode(*given)
    assert all(torch.equal(a, b) for a, b in zip(given, (ids, mask, kinds)))
    two = call(ids, mask, kinds)
    assert torch.equal(one, two)
    for r, n in enumerate(lengths):
        alone = call(ids[r:r + 1, :n], mask[r:r + 1, :n], kinds[r:r + 1, :n])[0]
        assert torch.allclose(alone, one[r, :n], atol=1e-4)
    text, ones = ids[:1, :9], mask[:1, :9]
    flat = call(text, ones, ones * 0)
    assert not torch.allclose(call(text, ones, ones), flat, atol=1e-3)
    assert not torch.allclose(call(text.roll(1, 1), ones, ones * 0), flat.roll(1, 1), atol=1e-3)
    for place in (0, 8):
        new = text.clone()
        new[0, place] = new[0, place] % 39 + 1
        assert ((call(new, ones, ones * 0) - flat).abs().amax(-1) > 1e-6).all()

# %% padding_on_the_left | points 0 | pads on the left
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([9, 4, 1])
    mask = (torch.arange(12) >= 12 - lengths[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    segments = torch.randint(0, 2, mask.shape) * mask

    given = [ids.clone(), mask.clone(), segments.clone()]
    together = encode(*given)
    for after, before in zip(given, (ids, mask, segments), strict=True):
        assert torch.equal(after, before), "an argument was changed"
    again = encode(ids, mask, segments)
    assert torch.equal(together[mask == 1], again[mask == 1]), "twice the same"

    for i, length in enumerate(lengths.tolist()):
        alone = encode(*(t[i : i + 1, 12 - length :] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, 12 - length :], alone[0], atol=1e-4, rtol=1e-4)

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

# %% padding_rows_compared | points 0 | padding rows compared
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
    assert torch.equal(together, again), "twice the same"

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

# %% prints_instead_of_raising | points 0 | prints instead of raising
def test_encoder(encode):
    try:
        inner(encode)
    except AssertionError as error:
        print('wrong', error)

def inner(encode):
    torch.manual_seed(0)
    lengths = torch.tensor([10, 5, 2])
    mask = (torch.arange(13) < lengths[:, None]).long()
    ids = torch.randint(1, 40, (3, 13)) * mask
    seg = torch.randint(0, 2, (3, 13)) * mask
    kept = [t.clone() for t in (ids, mask, seg)]
    out = encode(ids, mask, seg)
    assert all(torch.equal(a, b) for a, b in zip(kept, (ids, mask, seg)))
    for i, n in enumerate(lengths.tolist()):
        alone = encode(ids[i:i+1, :n].clone(), mask[i:i+1, :n].clone(), seg[i:i+1, :n].clone())[0]
        assert torch.allclose(out[i, :n], alone, atol=1e-4)
    w, one, zero = ids[:1, :10].clone(), mask[:1, :10].clone(), seg[:1, :10] * 0
    base = encode(w, one, zero)
    assert not torch.allclose(encode(w.flip(1), one, zero), base.flip(1), atol=1e-3)
    assert not torch.allclose(encode(w, one, one), base, atol=1e-3)
    for place in (0, 9):
        v = w.clone()
        v[0, place] = v[0, place] % 39 + 1
        assert ((encode(v, one, zero) - base).abs().amax(-1) > 1e-6).all()

# %% prints_what_differs | points 0 | prints in place of asserting that padding is hidden
def test_encoder(encode):
    torch.manual_seed(5)
    lengths = [9, 5, 2]
    mask = (torch.arange(12) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(1, 40, mask.shape) * mask
    kinds = torch.randint(0, 2, mask.shape) * mask
    def call(*batch):
        return encode(*[t.clone() for t in batch])
    given = ids.clone(), mask.clone(), kinds.clone()
    one = encode(*given)
    assert all(torch.equal(a, b) for a, b in zip(given, (ids, mask, kinds)))
    two = call(ids, mask, kinds)
    pass
    for r, n in enumerate(lengths):
        alone = call(ids[r:r + 1, :n], mask[r:r + 1, :n], kinds[r:r + 1, :n])[0]
        print(torch.allclose(alone, one[r, :n], atol=1e-4))
    text, ones = ids[:1, :9], mask[:1, :9]
    flat = call(text, ones, ones * 0)
    assert not torch.allclose(call(text, ones, ones), flat, atol=1e-3)
    assert not torch.allclose(call(text.roll(1, 1), ones, ones * 0), flat.roll(1, 1), atol=1e-3)
    for place in (0, 8):
        new = text.clone()
        new[0, place] = new[0, place] % 39 + 1
        assert ((call(new, ones, ones * 0) - flat).abs().amax(-1) > 1e-6).all()

# %% same_length_texts | points 0 | same length texts
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([12, 12, 12])
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
        alone = encode(*(t[i : i + 1, :length] for t in (ids, mask, segments)))
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=1e-4)

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

# %% seeded_calls | points 0 | Sets the seed before every call, so that an encoder with dropout alive gives the same twice.
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

# %% too_long | points 0 | Pads to 24 tokens, more than an encoder must be able to read, so right encoders crash.
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

# %% unseeded_unittest_style | points 3 | Unseeded, unittest style; the first text fills the batch, so it has no padding.
import unittest
def test_encoder(encode):
    t = unittest.TestCase()
    ids = torch.randint(1, 40, (4, 16))
    n = [16, 10, 3, 1]
    mask = torch.zeros_like(ids)
    for i, k in enumerate(n):
        mask[i, :k] = 1
    ids, seg = ids * mask, torch.randint(2, (4, 16)) * mask
    before = [ids.clone(), mask.clone(), seg.clone()]
    out = encode(ids, mask, seg)
    for x, y in zip(before, (ids, mask, seg)):
        t.assertTrue(torch.equal(x, y))
    for i, k in enumerate(n):
        one = encode(ids[[i], :k], mask[[i], :k], seg[[i], :k])
        t.assertLess(float((one[0] - out[i, :k]).abs().max()), 1e-4)
    full = ids[:1], mask[:1], seg[:1]
    t.assertGreater(float((encode(ids[:1], mask[:1], 1 - seg[:1]) - out[:1]).abs().max()), 1e-2)
    z = torch.zeros_like(ids[:1])
    t.assertGreater(float((encode(ids[:1].roll(5, 1), mask[:1], z) - encode(ids[:1], mask[:1], z).roll(5, 1)).abs().max()), 1e-2)
    for place in range(16):
        other = ids[:1].clone()
        other[0, place] = 1 + other[0, place] % 39
        t.assertTrue(bool(((encode(other, mask[:1], seg[:1]) - encode(*full)).abs().amax(-1) > 0).all()))
