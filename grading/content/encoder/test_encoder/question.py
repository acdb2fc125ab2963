"""Exercise 5: a test that accepts right encoders and rejects wrong ones."""

from __future__ import annotations

import torch
from torch import nn

from grading import check
from grading.content.drawing import one_of
from grading.content.encoder.sections import COMMON
from grading.exercise import Case, Part, Question
from grading.exercise.edits import edited

from .versions import ACCEPTED, LITTLE, POST_NORM, WRONG


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str, hidden: bool = False) -> Case:
        name = one_of(generator, "encode", "encoder", "encode_batch")
        heads, size = one_of(generator, (2, 6), (3, 4), (2, 8), (4, 4))
        while True:
            seed = int(torch.randint(10_000, (), generator=generator))
            sizes = f"{heads * size}, {heads}, {heads * size + 7}, {seed}"
            drawn = source.strip().replace("NAME", name).replace("SIZES", sizes) + "\n"
            little = LITTLE not in title or check.run_test(_check_little, name, drawn)
            if little in (True, "accepted"):
                break
        arguments = (("name", name), ("source", drawn))
        return Case(title, part, arguments, harness=check.run_test, hidden=hidden)

    accepted = [case(f"right: {title}", "core", source) for title, source in ACCEPTED.items()]
    rejected, again = [], []
    for title, part, ways in WRONG:  # each way when it counts, one of them to practise
        order = torch.randperm(len(ways), generator=generator).tolist()
        first, *others = (edited(POST_NORM, ways[place]) for place in order)
        rejected.append(case(f"wrong: {title}", part, first))
        title = f"wrong: {title}, in another way"
        again += [case(title, part, source, hidden=True) for source in others]
    again += [
        case(f"right: {title}, once more", "core", source, hidden=True)
        for title, source in ACCEPTED.items()
        if title in ("post-norm", "pre-norm", "other numbers in the rows of padding")
    ]
    return accepted + rejected + again


def draw_texts(*lengths, longer=0):
    """Draw texts of these lengths, padded: ids, mask and segments."""
    generator = torch.Generator().manual_seed(3)
    tokens = max(lengths) + longer
    mask = (torch.arange(tokens) < torch.tensor(lengths)[:, None]).long()
    ids = torch.randint(1, 40, mask.shape, generator=generator) * mask
    types = torch.randint(0, 2, mask.shape, generator=generator) * mask
    return ids, mask, types


def check_padding(encode):
    """A text has the same vectors alone and in a padded batch."""
    ids, mask, types = draw_texts(9, 4, 1, longer=3)
    together = encode(ids, mask, types)
    for i, length in enumerate(mask.sum(dim=1).tolist()):
        one = slice(i, i + 1)
        alone = encode(ids[one, :length], mask[one, :length], types[one, :length])[0]
        padded = together[i, :length]
        assert (padded - alone).abs().max() <= 1e-4


def _check_little(encode):
    """Padding moves vectors by less than what a coarse test lets pass, but it can be seen."""
    ids, mask, types = draw_texts(9, 4, 1, longer=3)
    together, moved = encode(ids, mask, types), []
    for i, length in enumerate((9, 4, 1)):
        one = slice(i, i + 1)
        alone = encode(ids[one, :length], mask[one, :length], types[one, :length])[0]
        moved.append(float((together[i, :length] - alone).abs().max()))
    assert 0.0016 < min(moved) <= max(moved) < 0.003


def check_order(encode):
    """The same words in another order have other vectors."""
    ids, mask, types = draw_texts(9)
    types = torch.zeros_like(types)
    order = torch.arange(9).roll(1)
    one, other = encode(ids, mask, types)[:, order], encode(ids[:, order], mask, types)
    assert not torch.allclose(one, other, atol=1e-3)


def check_segments(encode):
    """The same words in other segments have other vectors."""
    ids, mask, types = draw_texts(9)
    zeros, ones = torch.zeros_like(types), torch.ones_like(types)
    assert not torch.allclose(encode(ids, mask, zeros), encode(ids, mask, ones), atol=1e-3)


def check_context(encode):
    """Every vector of a text depends on its first word and on its last one."""
    ids, mask, types = draw_texts(9)
    before = encode(ids, mask, types)[0]
    for place in (0, 8):
        changed = ids.clone()
        changed[0, place] = changed[0, place] % 39 + 1
        moved = (encode(changed, mask, types)[0] - before).abs().amax(dim=-1) > 1e-5
        assert moved.all()


def check_twice(encode):
    """The same call gives the same result."""
    batch = draw_texts(9, 4, 1)
    real = batch[1].bool()
    assert torch.equal(encode(*batch)[real], encode(*batch)[real])


def check_arguments(encode):
    """No argument is changed."""
    batch = draw_texts(9, 4, 1)
    copies = [tensor.clone() for tensor in batch]
    encode(*copies)
    assert all(map(torch.equal, copies, batch))


def test_encoder(encode):
    """Raise an exception if an encoder breaks one of the five laws."""

    def on_copies(*batch):
        return encode(*(tensor.clone() for tensor in batch))

    check_padding(on_copies)
    check_order(on_copies)
    check_segments(on_copies)
    check_context(on_copies)
    check_twice(on_copies)
    check_arguments(encode)


def _compact_test(encode):
    """Everything about one text of eight words, beside others and alone; plain `raise`."""
    torch.manual_seed(1)
    ids = torch.randint(1, 40, (3, 12))
    mask = torch.ones(3, 12, dtype=torch.long)
    mask[0, 8:] = mask[2, 3:] = 0
    types = (torch.arange(12) > 4).long().expand(3, -1).clone()
    given = [t.clone() for t in (ids, mask, types)]
    with torch.no_grad():
        whole = encode(*given)[0, :8]
        if any((a != b).any() for a, b in zip(given, (ids, mask, types), strict=True)):
            raise RuntimeError("changed")

        def alone(words, segments):
            count = words.numel()
            return encode(words[None], torch.ones(1, count).long(), segments[None])[0]

        words, segments = ids[0, :8], types[0, :8]
        right = alone(words, segments)
        if not torch.allclose(whole, right, atol=1e-4):
            raise RuntimeError("padding")
        third = encode(ids, mask, types)[2, :3]
        if not torch.allclose(third, alone(ids[2, :3], types[2, :3]), atol=1e-4):
            raise RuntimeError("padding")
        if (alone(words, 1 - segments) - right).abs().max() < 1e-3:
            raise RuntimeError("segments")
        if (alone(words[:1].repeat(2), segments[:1].repeat(2)).diff(dim=0)).abs().max() < 1e-3:
            raise RuntimeError("positions")
        for place in (0, 7):
            other = words.clone()
            other[place] = 1 + other[place] % 39
            if (alone(other, segments) - right).abs().amax(-1).min() < 1e-6:
                raise RuntimeError("context")


def _many_batches(encode):
    """Many random batches, each text compared alone; contexts by truncation."""
    for seed in range(4):
        generator = torch.Generator().manual_seed(seed)
        lengths = (torch.randperm(8, generator=generator)[:3] + 6).tolist()
        rows = [torch.randint(1, 40, (n,), generator=generator) for n in lengths]
        kinds = [(torch.arange(n) > n // 2).long() for n in lengths]
        ids = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        types = nn.utils.rnn.pad_sequence(kinds, batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones_like(r) for r in rows], batch_first=True)
        was = ids.clone(), mask.clone(), types.clone()
        found = encode(ids, mask, types)
        for now, then in zip((ids, mask, types), was, strict=True):
            torch.testing.assert_close(now, then)
        for row, kind, result in zip(rows, kinds, found, strict=True):
            n = len(row)
            ones = torch.ones(1, n, dtype=torch.long)
            alone = encode(row[None].clone(), ones.clone(), kind[None].clone())[0]
            torch.testing.assert_close(result[:n], alone, atol=1e-4, rtol=1e-4)
            flat = encode(row[None].clone(), ones.clone(), kind[None] * 0)[0]
            assert (flat - alone).abs().max() > 1e-2
            order = torch.cat([torch.arange(2, n), torch.tensor([0, 1])])
            turned = encode(row[order][None], ones.clone(), kind[None] * 0)[0]
            assert (turned - flat[order]).abs().max() > 1e-2
            for change in (slice(0, 1), slice(n - 1, n)):
                other = row.clone()
                other[change] = 40 - other[change]
                if torch.equal(other, row):
                    continue
                moved = encode(other[None], ones.clone(), kind[None].clone())[0] - alone
                assert (moved.abs().max(dim=1).values > 1e-6).all()


def _pair_by_pair(encode):
    """Pairs of texts, the short one first; every word is changed once."""
    generator = torch.Generator().manual_seed(5)
    for short, long in ((2, 11), (6, 13)):
        ids = torch.randint(1, 40, (2, long + 2), generator=generator)
        types = torch.randint(0, 2, ids.shape, generator=generator)
        mask = torch.zeros_like(ids)
        mask[0, :short] = mask[1, :long] = 1
        given = (ids * mask, mask, types * mask)
        now = [tensor.clone() for tensor in given]
        both = encode(*now)
        assert all(torch.equal(a, b) for a, b in zip(given, now, strict=True))
        again = encode(*(tensor.clone() for tensor in given))
        assert torch.equal(both[mask > 0], again[mask > 0])
        for row, length in enumerate((short, long)):
            text = [tensor[row : row + 1, :length].clone() for tensor in given]
            torch.testing.assert_close(encode(*text)[0], both[row, :length], atol=1e-4, rtol=0)
        words, ones, _ = (tensor[1:, :long] for tensor in given)
        zeros = ones - 1
        plain = encode(words.clone(), ones.clone(), zeros.clone())[0]
        assert (encode(words.clone(), ones.clone(), ones.clone())[0] - plain).abs().max() > 1e-2
        turned = encode(words.flip(1), ones.clone(), zeros.clone())[0]
        assert (turned.flip(0) - plain).abs().max() > 1e-2
        for place in range(long):
            other = words.clone()
            other[0, place] = other[0, place] % 39 + 1
            assert (encode(other, ones.clone(), zeros.clone())[0] != plain).any(dim=-1).all()


class _Laws:
    """One method for each law; the encoder is an attribute."""

    def __init__(self, encode):
        self.encode = encode
        for law in (
            self.segments,
            self.twice,
            self.arguments,
            self.context,
            self.order,
            self.alone,
        ):
            law(torch.Generator().manual_seed(17))

    def vectors(self, *texts, kind=0):
        """Encode lists of words beside each other; return a list of vectors for each."""
        most = max(map(len, texts)) + 4
        ids = torch.tensor([text + [0] * (most - len(text)) for text in texts])
        found = self.encode(ids, ids.clamp(max=1), ids.clamp(max=1) * kind)
        return [row[: len(text)] for row, text in zip(found, texts, strict=True)]

    def words(self, generator, count):
        return torch.randint(1, 40, (count,), generator=generator).tolist()

    def alone(self, generator):
        texts = [self.words(generator, count) for count in (3, 10, 1)]
        for text, found in zip(texts, self.vectors(*texts), strict=True):
            ids = torch.tensor([text])
            right = self.encode(ids, torch.ones_like(ids), torch.zeros_like(ids))[0]
            if not torch.allclose(found, right, atol=1e-4):
                raise ValueError("padding")

    def order(self, generator):
        text = self.words(generator, 10)
        (one,), (other,) = self.vectors(text), self.vectors(text[1:] + text[:1])
        assert (one.roll(-1, 0) - other).abs().max() > 1e-2

    def segments(self, generator):
        text = self.words(generator, 8)
        (one,), (other,) = self.vectors(text), self.vectors(text, kind=1)
        assert (one - other).abs().max() > 1e-2

    def context(self, generator):
        text = self.words(generator, 12)
        (before,) = self.vectors(text)
        for changed in ([text[0] % 39 + 1, *text[1:]], [*text[:-1], text[-1] % 39 + 1]):
            (after,) = self.vectors(changed)
            assert (after - before).abs().amax(dim=-1).min() > 1e-6

    def twice(self, generator):
        text = self.words(generator, 7)
        assert torch.equal(self.vectors(text)[0], self.vectors(text)[0])

    def arguments(self, generator):
        mask = torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
        ids = torch.randint(2, 40, mask.shape, generator=generator) * mask
        types = mask.clone()
        self.encode(ids, mask, types)
        assert ids[0, 3:].sum() == 0
        assert ids[mask == 1].min() > 1
        assert mask.tolist() == types.tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]


QUESTION = Question(
    id="test_encoder",
    mixed=True,
    title="Write the test that catches it",
    signature="test_encoder(encode)",
    reference=test_encoder,
    helpers=(
        draw_texts,
        check_padding,
        check_order,
        check_segments,
        check_context,
        check_twice,
        check_arguments,
    ),
    cases=_test_cases,
    parts=(
        Part("core", "right encoders pass; mask, positions, segments and dropout are seen", 2),
        Part("mask", "masks that hold only in part are seen", 1),
        Part("context", "who sees whom, whole batches, changed arguments", 1),
    ),
    minutes=45,
    draws=3,  # each has every kind of version, and takes long
    difficulty=3,
    section=COMMON,
    alternatives={
        "one text in three ways, with raise": _compact_test,
        "random batches": _many_batches,
        "other lengths": _pair_by_pair,
        "a class with methods": _Laws,
    },
)
