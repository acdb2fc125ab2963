# %% far_means_seven_places | points 4 | Law 4 is tried on texts of eight words only, which are enough by the exercise's own words.
LONG = [7, 31, 2, 18, 25, 4, 39, 12, 1, 28, 9, 36, 15, 22, 5, 33, 11, 38, 3, 27]


def test_encoder(encode) -> None:
    def run(texts, width, segments=None):
        if segments is None:
            segments = [[0] * len(text) for text in texts]
        ids = torch.tensor([text + [0] * (width - len(text)) for text in texts])
        mask = torch.tensor([[1] * len(text) + [0] * (width - len(text)) for text in texts])
        kinds = torch.tensor([row + [0] * (width - len(row)) for row in segments])
        given = (ids, mask, kinds)
        before = [argument.clone() for argument in given]
        out = encode(*given).detach().clone()
        for old, new in zip(before, given):
            assert torch.equal(old, new), "an argument was changed"
        return [row[: len(text)] for row, text in zip(out, texts)]

    def gap(one, other):
        return (one - other).abs().max().item()

    # alone, in a batch, with padding
    texts = [LONG[:8], LONG[3:16], [14], LONG[9:20], [6, 6, 9, 21, 6], LONG[12:20]]
    segments = [[0] * 3 + [1] * 5, [0] * 7 + [1] * 6, [1], [0] * 11, [0, 1, 1, 1, 1], [0] * 8]
    alone = [run([text], len(text), [row])[0] for text, row in zip(texts, segments)]
    for width in (13, 14, 16, 20):
        for order in ([0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]):
            out = run([texts[i] for i in order], width, [segments[i] for i in order])
            for i, vectors in zip(order, out):
                assert gap(vectors, alone[i]) <= 1e-4, "padding or other texts count"
    for i in range(len(texts)):
        for width in range(len(texts[i]) + 1, 21):
            vectors = run([texts[i]], width, [segments[i]])[0]
            assert gap(vectors, alone[i]) <= 1e-4, "padding counts"
    for vectors, i in zip(run([texts[0], texts[5]], 8, [segments[0], segments[5]]), (0, 5)):
        assert gap(vectors, alone[i]) <= 1e-4, "texts mix"

    # the same call again
    for _ in range(3):
        for vectors, i in zip(run(texts, 15, segments), range(len(texts))):
            for again in (run(texts, 15, segments)[i],):
                assert gap(vectors, again) <= 2e-5, "another result"

    # positions
    base = run([LONG], 20)[0]
    for distance in (1, 3, 8, 10, 16):
        for i in range(20 - distance):
            swapped = list(LONG)
            swapped[i], swapped[i + distance] = LONG[i + distance], LONG[i]
            out = run([swapped], 20)[0]
            assert gap(out[i + distance], base[i]) >= 0.009, "no positions"
            assert gap(out[i], base[i + distance]) >= 0.009, "no positions"

    # segments
    for i in range(20):
        out = run([LONG], 20, [[int(place == i) for place in range(20)]])[0]
        assert gap(out[i], base[i]) >= 0.009, "no segments"

    # every vector depends on every word
    for text in (LONG[:8], LONG[12:20]):
        base = run([text], 20)[0]
        for i in range(len(text)):
            changed = list(text)
            changed[i] = text[i] % 39 + 1
            out = run([changed], 20)[0]
            moved = (out - base).abs().amax(dim=1)
            assert moved.min().item() >= 0.0005, "a vector does not depend on a word"

# %% gap_in_tolerance_form | points 4 | gap in tolerance form
def test_encoder(encode) -> None:
    """Raise an exception if `encode(input_ids, attention_mask, token_type_ids)` is wrong."""
    lengths = torch.tensor([8, 9, 2])
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
        torch.testing.assert_close(together[i, :length], alone[0], atol=1e-4, rtol=0.0)

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

# %% laws_in_a_row | points 4 | all laws one after the other
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

# %% many_small_texts | points 4 | many small texts
def test_encoder(encode):
    torch.manual_seed(3)
    for _ in range(3):
        lengths = [10, 6, 3, 8]
        ids = torch.zeros(4, 14, dtype=torch.long)
        seg = torch.zeros_like(ids)
        for r, n in enumerate(lengths):
            ids[r, :n] = torch.randperm(39)[:n] + 1
            seg[r, n // 2 : n] = 1
        mask = (ids > 0).long()
        a, b, c = ids.clone(), mask.clone(), seg.clone()
        full = encode(ids, mask, seg)
        assert (a == ids).all() and (b == mask).all() and (c == seg).all()
        full2 = encode(ids, mask, seg)
        for r, n in enumerate(lengths):
            assert (full[r, :n] - full2[r, :n]).abs().max() < 1e-6
            one = encode(ids[r : r + 1, :n].clone(), torch.ones(1, n, dtype=torch.long), seg[r : r + 1, :n].clone())[0]
            assert (one - full[r, :n]).abs().max() < 1e-4
            if n < 6:
                continue
            w = ids[r : r + 1, :n]
            m, s = torch.ones_like(w), torch.zeros_like(w)
            base = encode(w, m, s)[0]
            back = encode(w.flip(1), m, s)[0].flip(0)
            assert (base - back).abs().max() > 1e-3
            assert (base - encode(w, m, m)[0]).abs().max() > 1e-3
            for j in range(n):
                v = w.clone()
                v[0, j] = w[0, j] % 39 + 1
                d = (encode(v, m, s)[0] - base).abs().max(-1).values
                assert d.min() > 1e-5

# %% one_long_text_cut | points 4 | one long text, cut
def test_encoder(encode):
    gen = torch.Generator().manual_seed(5)
    a = torch.randint(1, 40, (1, 12), generator=gen)
    b = torch.randint(1, 40, (1, 6), generator=gen)
    def alone(ids, seg=None):
        return encode(ids.clone(), torch.ones_like(ids), torch.zeros_like(ids) if seg is None else seg.clone())
    def both(first, second):
        n = max(first.size(1), second.size(1)) + 4
        ids = torch.cat([F.pad(first, (0, n - first.size(1))), F.pad(second, (0, n - second.size(1)))])
        mask = (ids > 0).long()
        seg = torch.zeros_like(ids)
        seg[:, 0] = 1
        save = ids.clone(), mask.clone(), seg.clone()
        result = encode(ids, mask, seg)
        if not (ids.equal(save[0]) and mask.equal(save[1]) and seg.equal(save[2])):
            raise ValueError("changed")
        return result
    def with_one(ids):
        seg = torch.zeros_like(ids)
        seg[:, 0] = 1
        return alone(ids, seg)
    for x, y in ((a, b), (b, a)):
        out = both(x, y)
        for i, z in enumerate((x, y)):
            if (out[i, :z.size(1)] - with_one(z)[0]).abs().max() > 2e-4:
                raise ValueError("padding")
    if (with_one(a) - alone(a)).abs().max() < 1e-3:
        raise ValueError("segments")
    if (alone(a[:, :1].repeat(1, 5))[0].std(0)).max() < 1e-3:
        raise ValueError("positions")
    if not torch.equal(alone(a), alone(a)):
        raise ValueError("chance")
    for place in (0, 5, 11):
        c = a.clone()
        c[0, place] = (c[0, place] + 3) % 39 + 1
        if ((alone(c) - alone(a)).abs().sum(-1) < 1e-6).any():
            raise ValueError("context")

# %% one_word_all_over | points 4 | Asks, too, that a text of one repeated word has different vectors at its places.
def pack(texts, segments, width):
    ids = torch.zeros(len(texts), width, dtype=torch.long)
    mask = torch.zeros(len(texts), width, dtype=torch.long)
    types = torch.zeros(len(texts), width, dtype=torch.long)
    for row in range(len(texts)):
        length = len(texts[row])
        ids[row, :length] = torch.tensor(texts[row])
        mask[row, :length] = 1
        types[row, :length] = torch.tensor(segments[row])
    return ids, mask, types


def call(encode, texts, segments, width):
    ids, mask, types = pack(texts, segments, width)
    copies = ids.clone(), mask.clone(), types.clone()
    with torch.no_grad():
        out = encode(ids, mask, types).clone()
    assert torch.equal(ids, copies[0]), "input_ids changed"
    assert torch.equal(mask, copies[1]), "attention_mask changed"
    assert torch.equal(types, copies[2]), "token_type_ids changed"
    return out


def single(encode, text, segment):
    return call(encode, [text], [segment], len(text))[0]


TEXTS = [
    [3, 14, 15, 9, 26, 5, 35, 8],
    [27, 18, 28, 1, 2],
    [31, 4, 39, 22, 17, 6, 12, 33, 20, 11, 7, 30],
    [16, 25, 36, 10, 13, 24, 38, 19],
    [21],
]
SEGMENTS = [[0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 1, 1], [0] * 5 + [1] * 7, [1] * 8, [1]]
LONG = [31, 4, 39, 22, 17, 6, 12, 33, 20, 11, 7, 30, 16, 25, 36, 10, 13, 24, 38, 19]


def close(a, b):
    return (a - b).abs().max().item() < 1e-4


def test_encoder(encode):
    alone = [single(encode, text, segment) for text, segment in zip(TEXTS, SEGMENTS)]

    # law 3
    for text, segment, before in zip(TEXTS, SEGMENTS, alone):
        assert close(single(encode, text, segment), before), "not the same twice"

    # law 1
    for order in ([0, 1, 2, 3, 4], [4, 2, 1, 0, 3], [1, 0], [0, 3], [0], [1]):
        for extra in (0, 3, 8):
            texts = [TEXTS[i] for i in order]
            segments = [SEGMENTS[i] for i in order]
            width = max(len(text) for text in texts) + extra
            out = call(encode, texts, segments, width)
            for row, i in enumerate(order):
                assert close(out[row, : len(TEXTS[i])], alone[i]), "padding or neighbours count"

    # law 2
    text = TEXTS[0]
    zeros = [0] * len(text)
    plain = single(encode, text, zeros)
    for i in range(len(text)):
        for j in range(i):
            swapped = list(text)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            new = single(encode, swapped, zeros)
            assert (new[j] - plain[i]).abs().max() > 0.003, "no positions"
            assert (new[i] - plain[j]).abs().max() > 0.003, "no positions"
        segment = list(zeros)
        segment[i] = 1
        new = single(encode, text, segment)
        assert (new[i] - plain[i]).abs().max() > 0.003, "no segments"

    same = single(encode, [5] * 8, [0] * 8)
    for i in range(8):
        for j in range(i):
            assert (same[i] - same[j]).abs().max() > 0.003, "no positions"

    # law 4
    for text in (TEXTS[0], LONG):
        zeros = [0] * len(text)
        plain = single(encode, text, zeros)
        for i in range(len(text)):
            changed = list(text)
            changed[i] = 37
            new = single(encode, changed, zeros)
            assert (new - plain).abs().amax(dim=-1).min() > 3e-4, "a word isn't seen"

# %% padding_multiplied_by_zero | points 4 | Rows of padding, which hold finite numbers, are multiplied by 0 before comparing.
def call(encode, texts, segments, width):
    ids = torch.zeros(len(texts), width, dtype=torch.long)
    mask = torch.zeros_like(ids)
    types = torch.zeros_like(ids)
    for row, (text, segment) in enumerate(zip(texts, segments)):
        ids[row, : len(text)] = torch.tensor(text)
        mask[row, : len(text)] = 1
        types[row, : len(text)] = torch.tensor(segment)
    before = (ids.clone(), mask.clone(), types.clone())
    out = encode(ids, mask, types).detach()
    for old, new in zip(before, (ids, mask, types)):
        assert torch.equal(old, new)
    return out.clone()


def apart(a, b):
    return (a - b).abs().amax(dim=-1)


def test_encoder(encode) -> None:
    lengths = [12, 20, 8, 9, 15, 8, 2]
    texts = [[(7 * i * i + 5 * n + 11 * i) % 39 + 1 for i in range(n)] for n in lengths]
    texts[5] = [3, 30, 12, 25, 38, 1, 17, 8]
    segments = [[int(i >= n // 2) for i in range(n)] for n in lengths]
    alone = [call(encode, [t], [s], len(t))[0] for t, s in zip(texts, segments)]
    groups = [([0], 15), ([2], 20), ([4], 18), ([2, 5], 8), ([3, 0, 2], 12), ([0, 2, 3], 16), ([1, 0, 5], 20), (list(range(7)), 20)]
    for rows, width in groups:
        out = call(encode, [texts[r] for r in rows], [segments[r] for r in rows], width)
        again = call(encode, [texts[r] for r in rows], [segments[r] for r in rows], width)
        real = torch.zeros(len(rows), width, 1)
        expected = torch.zeros_like(out)
        for place, row in enumerate(rows):
            real[place, : lengths[row]] = 1
            expected[place, : lengths[row]] = alone[row]
        assert apart(out * real, expected).max() < 1e-4
        assert apart(out * real, again * real).max() < 1e-4
    for row in range(6):
        n = lengths[row]
        plain = call(encode, [texts[row]], [[0] * n], n)[0]
        moved = call(encode, [texts[row][-3:] + texts[row][:-3]], [[0] * n], n)[0]
        assert apart(moved, plain.roll(3, 0)).min() > 1e-3
        same = call(encode, [[row + 4] * n], [[0] * n], n)[0]
        assert (apart(same[:, None], same[None]) + torch.eye(n)).min() > 1e-3
    for row in range(6):
        n = lengths[row]
        other = [[1 - s if k == i else s for i, s in enumerate(segments[row])] for k in range(n)]
        out = call(encode, [texts[row]] * n, other, n)
        for k in range(n):
            assert apart(out[k, k], alone[row][k]) > 1e-3
    for row, width in ((1, 20), (2, 12), (4, 15)):
        n = lengths[row]
        changed = [texts[row][:k] + [texts[row][k] % 39 + 1] + texts[row][k + 1 :] for k in range(n)]
        out = call(encode, changed, [segments[row]] * n, width)
        assert apart(out[:, :n], alone[row]).min() > 3e-4
