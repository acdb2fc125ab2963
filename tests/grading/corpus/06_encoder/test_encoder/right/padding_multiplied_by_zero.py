# Rows of padding, which hold finite numbers, are multiplied by 0 before comparing.
# points: 4
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
