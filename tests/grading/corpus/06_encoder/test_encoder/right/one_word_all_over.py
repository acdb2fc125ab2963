# Asks, too, that a text of one repeated word has different vectors at its places.
# points: 4
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
