"""Exercise 5: a test that accepts right encoders and rejects wrong ones."""

from __future__ import annotations

import textwrap

import torch
from torch import nn

from grading import check
from grading.content.drawing import one_of
from grading.content.encoder.sections import COMMON, NOT_ARRIVED, ON_ITS_WAY, ORDER, TYPES
from grading.exercise import Case, Exercise, Mistake, Part
from grading.exercise.edits import Edits, edited

_POST_NORM = """
HIDDEN, HEADS, WIDE, SEED = SIZES
generator = torch.Generator().manual_seed(SEED)


def normal(*shape):
    return torch.randn(*shape, generator=generator)


SHAPES = {
    "qkv": (HIDDEN, 3 * HIDDEN),
    "out": (HIDDEN, HIDDEN),
    "up": (HIDDEN, WIDE),
    "down": (WIDE, HIDDEN),
}
words, places, segments = normal(40, HIDDEN), normal(20, HIDDEN), normal(2, HIDDEN)
layers = [
    {name: normal(*shape) / shape[0] ** 0.5 for name, shape in SHAPES.items()} for _ in range(2)
]


def norm(x):
    return F.layer_norm(x, (HIDDEN,))


def attend(x, layer, keep):
    packed = (x @ layer["qkv"]).unflatten(-1, (3, HEADS, -1))
    query, key, value = packed.permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~keep, -1e9)
    weights = scores.softmax(dim=-1)
    return (weights @ value).transpose(1, 2).flatten(2) @ layer["out"]


def NAME(input_ids, attention_mask, token_type_ids):
    keep = attention_mask.bool()[:, None, None, :]
    positions = torch.arange(input_ids.size(1))
    x = words[input_ids] + places[positions] + segments[token_type_ids]
    x = norm(x)
    for layer in layers:
        x = norm(x + attend(x, layer, keep))
        x = norm(x + F.gelu(x @ layer["up"]) @ layer["down"])
    return x
"""

_END = "    return x\n"
_PRE_NORM = edited(
    _POST_NORM,
    [
        (
            _POST_NORM[_POST_NORM.index("    x = norm(x)\n    for") :],
            """    for layer in layers:
        x = x + attend(norm(x), layer, keep)
        x = x + F.gelu(norm(x) @ layer["up"]) @ layer["down"]
    return norm(x) * (1 + places[0] / 4) + segments[0]
""",
        )
    ],
)
_SINUSOIDS = edited(
    _POST_NORM,
    [
        (
            "    x = words",
            "    angles = positions[:, None] / 100 ** (torch.arange(0, HIDDEN, 2) / HIDDEN)\n"
            "    waves = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)\n    x = words",
        ),
        ("places[positions]", "2 * waves"),
        ("attention_mask.bool()[", "attention_mask["),
        (
            "    scores = scores.masked_fill(~keep, -1e9)\n",
            "    lowest = torch.finfo(torch.float32).min\n"
            "    scores = scores + (1 - keep) * lowest\n",
        ),
    ],
)
_GARBAGE = edited(  # other numbers in each call
    _POST_NORM,
    [
        ("def NAME(", "calls = []\n\n\ndef NAME("),
        (
            _END,
            "    calls.append(1234.5)\n"
            "    return x.masked_fill(attention_mask[..., None] == 0, sum(calls))\n",
        ),
    ],
)
_DOUBLE = edited(
    _POST_NORM,
    [
        ("generator=generator)", "generator=generator).double()"),
        ("torch.arange(input_ids.size(1))", "(attention_mask.cumsum(1) - 1) * attention_mask"),
        (_END, "    return x.float()\n"),
    ],
)
_BY_TEXT = (
    edited(_POST_NORM, [("def NAME(", "def whole(")])
    + """

def NAME(input_ids, attention_mask, token_type_ids):
    result = torch.zeros(*input_ids.shape, HIDDEN)
    for i, real in enumerate(attention_mask.bool()):
        one = (t[i : i + 1, real] for t in (input_ids, attention_mask, token_type_ids))
        result[i, real] = whole(*one)[0]
    return result
"""
)
_LIBRARY = """
HIDDEN, HEADS, WIDE, SEED = SIZES
with torch.random.fork_rng():
    torch.manual_seed(SEED)
    words, places, segments = (nn.Embedding(n, HIDDEN).eval() for n in (40, 20, 2))
    layer = nn.TransformerEncoderLayer(HIDDEN, HEADS, WIDE, activation="gelu", batch_first=True)
    stack = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()


@torch.no_grad()
def NAME(input_ids, attention_mask, token_type_ids):
    places_of = torch.arange(input_ids.size(1)).expand_as(input_ids)
    x = words(input_ids) + places(places_of) + segments(token_type_ids)
    return stack(x, src_key_padding_mask=attention_mask == 0)
"""

_FILL = "scores = scores.masked_fill(~keep, -1e9)"
_KEEP = "    keep = attention_mask.bool()[:, None, None, :]\n"
_POSITIONS = "    positions = torch.arange(input_ids.size(1))\n"
_ATTEND = "x = norm(x + attend(x, layer, keep))"
_ALL = "keep = torch.ones_like(attention_mask).bool()[:, None, None, :]"


def _keep_where(condition: str) -> Edits:
    """Hide more keys than padding; the condition speaks of positions, which must come first."""
    return [(_KEEP + _POSITIONS, f"{_POSITIONS}{_KEEP}    keep = keep & {condition}\n")]


_LITTLE = "padding is hidden a little"
_WRONG: list[tuple[str, str, list[Edits]]] = [  # each wrong in several ways
    ("padding is looked at", "core", [[(_FILL, "pass")], [(_KEEP, f"    {_ALL}\n")]]),
    (
        "the mask lies on the query axis",
        "core",
        [[("[:, None, None, :]", "[:, None, :, None]")], [("~keep", "~keep.transpose(-2, -1)")]],
    ),
    (
        "the mask of ones and zeros is added",
        "core",
        [[(_FILL, "scores = scores + keep.float()")], [(_FILL, "scores = scores - 1.0 * ~keep")]],
    ),
    (
        "no positions",
        "core",
        [[(" + places[positions]", "")], [("places[positions]", "places[positions * 0]")]],
    ),
    (
        "segments are ignored",
        "core",
        [[(" + segments[token_type_ids]", "")], [("[token_type_ids]", "[token_type_ids * 0]")]],
    ),
    (
        "dropout is alive",
        "core",
        [
            [("weights @ value", "F.dropout(weights, 0.3) @ value")],
            [("    x = norm(x)\n", "    x = F.dropout(norm(x), 0.2)\n")],
            [("attend(x, layer, keep))", "F.dropout(attend(x, layer, keep), 0.3))")],
        ],
    ),
    (  # what is drawn has the same shape in every call, so with one seed it is always the same
        "dropout is alive in the table of words",
        "core",
        [[("words[input_ids]", "F.dropout(words, 0.2)[input_ids]")]],
    ),
    (
        "only the first layer gets the mask",
        "mask",
        [
            [(_ATTEND, f"{_ATTEND}; {_ALL}")],
            [("+ attend(x, layer, keep)", "+ attend(x, layer, keep | (layer is not layers[0]))")],
        ],
    ),
    (
        "the last layer does not get the mask",
        "mask",
        [[("+ attend(x, layer, keep)", "+ attend(x, layer, keep | (layer is layers[-1]))")]],
    ),
    (
        "all texts get the mask of the first",
        "mask",
        [
            [(_KEEP, f"{_KEEP}    keep = keep[:1]\n")],
            [(_KEEP, f"{_KEEP}    keep = keep[:1].expand_as(keep)\n")],
        ],
    ),
    (
        "only the last text of a batch gets its mask",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    keep = keep | (torch.arange(len(keep)) < len(keep) - 1)"
                    "[:, None, None, None]\n",
                )
            ]
        ],
    ),
    (
        "the first text of a batch does not get its mask",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    keep = keep | (torch.arange(len(keep)) == 0)"
                    "[:, None, None, None]\n",
                )
            ]
        ],
    ),
    (
        "the last text of a batch does not get its mask",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    keep = keep | (torch.arange(len(keep)) == len(keep) - 1)"
                    "[:, None, None, None]\n",
                )
            ]
        ],
    ),
    (
        "in the last layer the mask holds for the first vector only",
        "mask",
        [
            [
                (
                    "+ attend(x, layer, keep)",
                    "+ attend(x, layer, keep if layer is layers[0] else "
                    "keep | (positions > 0)[:, None])",
                )
            ]
        ],
    ),
    (
        "in the last layer the mask holds for the last word only",
        "mask",
        [
            [
                (
                    "+ attend(x, layer, keep)",
                    "+ attend(x, layer, keep if layer is layers[0] else "
                    "keep | (positions + 1 < attention_mask.sum(1, keepdim=True))"
                    "[:, None, :, None])",
                )
            ]
        ],
    ),
    (
        "padding of the shortest text is looked at",
        "mask",
        [
            [
                (
                    _KEEP,
                    f"{_KEEP}    words_of = attention_mask.sum(1)[:, None, None, None]\n"
                    "    keep = keep | (words_of == words_of.min()) & (words_of.max() > "
                    "words_of.min())\n",
                )
            ]
        ],
    ),
    (
        "weights of padding are zeroed after the softmax",
        "mask",
        [[(_FILL, "pass"), ("softmax(dim=-1)", "softmax(dim=-1) * keep")]],
    ),
    (
        _LITTLE,
        "mask",
        [
            [
                (
                    "    return (weights @ value)",
                    "    hidden = (~keep).float().expand_as(weights)\n"
                    "    shares = hidden / hidden.sum(dim=-1, keepdim=True).clamp(min=1)\n"
                    "    weights = weights + 0.0008 * (shares - weights * hidden.amax(-1, True))\n"
                    "    return (weights @ value)",
                )
            ]
        ],
    ),
    (
        "vectors of padding are set to zero, not hidden",
        "mask",
        [
            [(_FILL, "pass"), (_ATTEND, f"x = x * attention_mask[..., None]; {_ATTEND}")],
            [(_FILL, "pass"), ('(x @ layer["qkv"])', '(x @ layer["qkv"] * keep[:, 0].mT)')],
        ],
    ),
    ("what comes later is hidden", "context", [_keep_where("(positions <= positions[:, None])")]),
    ("what came before is hidden", "context", [_keep_where("(positions >= positions[:, None])")]),
    (
        "only neighbours are looked at",
        "context",
        [_keep_where("((positions - positions[:, None]).abs() < 3)")],
    ),
    (
        "nobody looks at anybody",
        "context",
        [
            [(_ATTEND, 'x = norm(x + x @ layer["out"])')],
            _keep_where("(positions == positions[:, None])"),
        ],
    ),
    (
        "the last token is never looked at",
        "context",
        [[(_KEEP, _KEEP.replace("attention_mask", "F.pad(attention_mask[:, 1:], (0, 1))"))]],
    ),
    ("the first token is never looked at", "context", [_keep_where("(positions > 0)")]),
    (
        "texts of a batch mix",
        "context",
        [
            [(_END, "    return x + 0.3 * x.mean(dim=0, keepdim=True)\n")],
            [("weights @ value", "weights.mean(dim=0, keepdim=True) @ value")],
            [("norm(x)\n    for", "norm(x - x.mean(dim=0, keepdim=True) / 2)\n    for")],
        ],
    ),
    (
        "the segments are changed in place",
        "context",
        [[(_END, "    token_type_ids.zero_()\n    return x\n")]],
    ),
    (
        "the mask is changed in place",
        "context",
        [[(_END, "    attention_mask.fill_(1)\n    return x\n")]],
    ),
    (
        "the ids are changed in place",
        "context",
        [[(_END, "    input_ids *= attention_mask\n    input_ids += 1\n    return x\n")]],
    ),
    (
        "the ids of padding are changed in place",
        "context",
        [[(_END, f"    input_ids[attention_mask == 0] = {n}\n    return x\n")] for n in (1, 7)],
    ),
]

_ACCEPTED = {
    "post-norm": _POST_NORM,
    "pre-norm": _PRE_NORM,
    "sines, and a mask that is added": _SINUSOIDS,
    "PyTorch's stack": _LIBRARY,
    "text by text": _BY_TEXT,
    "other numbers in the rows of padding": _GARBAGE,
    "in float64, positions counted from the mask": _DOUBLE,
}


def _test_cases(generator: torch.Generator) -> list[Case]:
    def case(title: str, part: str, source: str, hidden: bool = False) -> Case:
        name = one_of(generator, "encode", "encoder", "encode_batch")
        heads, size = one_of(generator, (2, 6), (3, 4), (2, 8), (4, 4))
        while True:
            seed = int(torch.randint(10_000, (), generator=generator))
            sizes = f"{heads * size}, {heads}, {heads * size + 7}, {seed}"
            drawn = source.strip().replace("NAME", name).replace("SIZES", sizes) + "\n"
            little = _LITTLE not in title or check.run_test(_check_little, name, drawn)
            if little in (True, "accepted"):
                break
        arguments = (("name", name), ("source", drawn))
        return Case(title, part, arguments, harness=check.run_test, hidden=hidden)

    accepted = [case(f"right: {title}", "core", source) for title, source in _ACCEPTED.items()]
    rejected, again = [], []
    for title, part, ways in _WRONG:  # each way when it counts, one of them to practise
        order = torch.randperm(len(ways), generator=generator).tolist()
        first, *others = (edited(_POST_NORM, ways[place]) for place in order)
        rejected.append(case(f"wrong: {title}", part, first))
        title = f"wrong: {title}, in another way"
        again += [case(title, part, source, hidden=True) for source in others]
    again += [
        case(f"right: {title}, once more", "core", source, hidden=True)
        for title, source in _ACCEPTED.items()
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


_CALLS = {  # the lines of the test
    name: f"    check_{name}({'encode' if name == 'arguments' else 'on_copies'})\n"
    for name in ("padding", "order", "segments", "context", "twice", "arguments")
}
_ALL_CALLS = "".join(_CALLS.values())


def _without(*names: str) -> Edits:
    """Leave out some of the checks."""
    return [(_CALLS[name], "") for name in names]


def _instead(code: str) -> Edits:
    """Do something else in place of all checks."""
    return [(_ALL_CALLS, code)]


def _tried(then: str) -> Edits:
    """Catch what a failed check raises."""
    tried = textwrap.indent(_ALL_CALLS, "    ")
    return _instead(f"    try:\n{tried}    except AssertionError:\n        {then}\n")


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


EXERCISE = Exercise(
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
    combined=("no_order", "no_segments", "padded_alone", "no_context", "no_arguments"),
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
    mistakes=(
        Mistake(
            "says_nothing",
            "The test accepts every encoder. Shapes alone say nothing, so compare numbers; and "
            "the exception of a failed `assert` must get out of the test.",
            _instead("    assert on_copies(*draw_texts(5, 3)).shape[:2] == (2, 5)\n"),
            equivalent=(_tried("pass"),),
        ),
        Mistake(
            "says_false",
            "The test returns True or False. What it returns is not looked at: it must raise an "
            "exception (`assert`).",
            _tried("return False\n    return True"),
        ),
        Mistake(
            "rejects_everything",
            "The test rejects every encoder, right ones too. Either it fails by itself (call "
            "`encode(input_ids, attention_mask, token_type_ids)` with ids from 1 to 39), or it "
            "asks for what is not promised: equal rows of *padding*, or equal results where a "
            "padded batch has a mask of ones.",
            _instead("    encode(draw_texts(5, 3)[0])\n"),
            equivalent=(
                [
                    ("together[i, :length]", "together[i].mean(dim=0)"),
                    ("types[one, :length])[0]", "types[one, :length])[0].mean(dim=0)"),
                ],
                [
                    (
                        "    together = encode(ids, mask, types)\n",
                        "    together = encode(ids, torch.ones_like(mask), types)\n",
                    )
                ],
            ),
        ),
        Mistake(
            "exact",
            "Right encoders are rejected. Are rows of padding compared, which may hold anything? "
            "Must numbers be equal to the last digit, though with padding sums are added in "
            "another order? Or does padding stand on the left, though it is promised on the right?",
            [("<= 1e-4", "== 0")],
            equivalent=(
                [
                    ("(torch.arange(tokens) <", "(tokens - 1 - torch.arange(tokens) <"),
                    ("together[i, :length]", "together[i, -length:]"),
                    (
                        "encode(ids[one, :length], mask[one, :length], types[one, :length])",
                        "encode(ids[one, -length:], mask[one, -length:], types[one, -length:])",
                    ),
                ],
            ),
        ),
        Mistake(
            "as_wide_as_the_batch",
            "Each text is compared with itself in a call of its own where it is padded just as "
            "much, and in all rows. What is done to the mask then shows in neither call, and rows "
            "of padding may hold anything: leave the padding out of one of the calls.",
            [
                (
                    "encode(ids[one, :length], mask[one, :length], types[one, :length])",
                    "encode(ids[one], mask[one], types[one])",
                ),
                ("together[i, :length]", "together[i]"),
            ],
        ),
        Mistake(
            "no_padding",
            "Encoders whose mask does not work get through. “Alone = in batch” is the most useful "
            "test of an encoder: is a text compared with itself in a batch where it is padded, to "
            "0.0001 or so, and is what comes out asserted, not printed?",
            _without("padding"),
            equivalent=([("<= 1e-4", "<= 10")],),
        ),
        Mistake(
            "no_order",
            "Encoders without positions get through: shuffle the words, or repeat one, and see "
            "that more happens than a shuffle of the vectors.",
            _without("order"),
            section=ORDER,
        ),
        Mistake(
            "no_segments",
            "Encoders that ignore the segments get through: encode the same ids with other "
            "`token_type_ids`.",
            _without("segments"),
            section=TYPES,
        ),
        Mistake(
            "padded_alone",
            "What happens between the texts of a batch, such as the mask of the first one for all, "
            "is not seen: texts are padded one at a time, or only the first one is compared.",
            [
                ("    together = encode(ids, mask, types)\n", ""),
                ("together[i, :length]", "encode(ids[one], mask[one], types[one])[0, :length]"),
            ],
            points=2,
            section=ON_ITS_WAY,
        ),
        Mistake(
            "no_context",
            "Encoders in which tokens do not see all others get through: change one word, and "
            "*every* vector of its text must move, before and behind.",
            _without("context"),
            points=3,
            section="“The plan” in chapter 6",
            equivalent=([("moved.all()", "moved.any()")],),
        ),
        Mistake(
            "first_word_only",
            "An encoder that looks only back gets through. Change the *last* word of a text as "
            "well, and look at every vector, the first one, too.",
            [("(0, 8)", "(0,)")],
            points=3,
            section="“The plan” in chapter 6",
            equivalent=([("moved.all()", "moved[-1]")],),
        ),
        Mistake(
            "last_word_only",
            "An encoder that looks only ahead gets through. Change the *first* word of a text as "
            "well, and look at every vector, the last one, too.",
            [("(0, 8)", "(8,)")],
            points=3,
            section="“The plan” in chapter 6",
            equivalent=([("moved.all()", "moved[0]")],),
        ),
        Mistake(
            "one_half_changed",
            "Only words of one half are changed, so an encoder that never looks at the first word, "
            "or never at the last one, gets through. Change both, one after the other.",
            [("(0, 8)", "(5, 6, 7, 8)"), ("(9, 4, 1, longer=3)", "(9, 4, 2, longer=3)")],
            other_forms=(
                [("(0, 8)", "(0, 1, 2, 3)"), ("(9, 4, 1, longer=3)", "(9, 4, 2, longer=3)")],
            ),
            points=3,
            section="“The plan” in chapter 6",
        ),
        Mistake(
            "wide_tolerance",
            "An encoder whose mask lets a little of the padding through passes: the vectors of a "
            "text alone and in a batch may differ too much. Right ones agree to about 0.00001.",
            [("<= 1e-4", "<= 0.01")],
            points=3,
            section=ON_ITS_WAY,
        ),
        Mistake(
            "first_vector",
            "Only the first vector of each text is compared with the text alone, and a mask may "
            "hold for that one and not for others. Compare the rows of all words.",
            [("(padded - alone)", "(padded - alone)[:1]")],
            points=3,
            section=NOT_ARRIVED,
        ),
        Mistake(
            "last_vector",
            "Only the last vector of each text is compared with the text alone, and a mask may "
            "hold for that one and not for others. Compare the rows of all words.",
            [("(padded - alone)", "(padded - alone)[-1:]")],
            points=3,
            section=NOT_ARRIVED,
        ),
        Mistake(
            "longest_texts",
            "Not every text of the batch is compared with itself alone, or all are of one length. "
            "A mask may hold for some and not for others: compare all of them, of several lengths.",
            [("mask.sum(dim=1).tolist()", "mask.sum(dim=1).tolist()[:2]")],
            other_forms=(
                [  # each alone with padding, and each as the first of a batch
                    (
                        "        padded = together[i, :length]\n",
                        "        batch = [tensor.roll(-i, 0) for tensor in (ids, mask, types)]\n"
                        "        padded = encode(*batch)[0, :length]\n"
                        "        single = encode(ids[one], mask[one], types[one])[0, :length]\n"
                        "        assert (single - alone).abs().max() <= 1e-4\n",
                    )
                ],
            ),
            points=3,
            section=ON_ITS_WAY,
        ),
        Mistake(
            "last_text_only",
            "Only the last text of the batch is compared with itself alone. A mask may hold for "
            "that one and not for others: compare all of them.",
            [
                (
                    "enumerate(mask.sum(dim=1).tolist())",
                    "list(enumerate(mask.sum(dim=1).tolist()))[-1:]",
                )
            ],
            points=3,
            section=ON_ITS_WAY,
        ),
        Mistake(
            "one_text_full",
            "One text fills the batch, so it has no padding, and a mask that fails for that one "
            "alone is not seen. Make the batch wider than its longest text.",
            [("draw_texts(9, 4, 1, longer=3)", "draw_texts(9, 4, 1)")],
            other_forms=([("draw_texts(9, 4, 1, longer=3)", "draw_texts(1, 4, 9)")],),
            points=3,
            section=ON_ITS_WAY,
        ),
        Mistake(
            "mask_dtype",
            "Right encoders are rejected, those that calculate with the mask (`1 - …`) or count "
            "with it. It is promised as whole numbers, as the ids are: neither booleans nor "
            "floats.",
            [("lengths)[:, None]).long()", "lengths)[:, None])")],
            other_forms=(
                [
                    (
                        "        return encode(*(tensor.clone() for tensor in batch))\n",
                        "        ids, mask, types = (tensor.clone() for tensor in batch)\n"
                        "        return encode(ids, mask.float(), types)\n",
                    )
                ],
            ),
        ),
        Mistake(
            "too_long",
            "Right encoders are rejected, those that have no more than 20 positions. With its "
            "padding a batch may have at most 20 tokens.",
            [("longer=3", "longer=15")],
        ),
        Mistake(
            "unpadded",
            "All texts of the batch are equally long, so there is no padding, and no mask has "
            "anything to hide. Take different lengths.",
            [("draw_texts(9, 4, 1, longer=3)", "draw_texts(9, 9)")],
        ),
        Mistake(
            "padding_is_zero",
            "Right encoders are rejected, all but the one that computes each text by itself. Are "
            "rows of padding expected to be zero (they may hold anything), or does padding stand "
            "on the left of a text (it is promised to stand on the right)?",
            [
                (
                    "    together = encode(ids, mask, types)\n",
                    "    together = encode(ids, mask, types)\n"
                    "    assert not together[mask == 0].any()\n",
                )
            ],
        ),
        Mistake(
            "near_only",
            "Encoders in which only neighbours see each other get through: take a text of eight "
            "words or more, change one word, and look at all vectors, also the far ones.",
            [("moved.all()", "moved[max(0, place - 1) : place + 2].all()")],
            points=3,
            section="“The plan” in chapter 6",
            equivalent=(
                [("draw_texts(9)\n    before", "draw_texts(3)\n    before"), ("(0, 8)", "(0, 2)")],
            ),
        ),
        Mistake(
            "no_arguments",
            "The test does not see that its arguments are changed: keep copies and compare "
            "afterwards.",
            _without("arguments"),
            points=3,
        ),
        Mistake(
            "no_copies",
            "Changed arguments are seen only where they lead to other results: ids that are "
            "overwritten at padding get through. Keep *clones*; a second name for the same tensor "
            "changes with it.",
            [("(tensor.clone() for tensor in batch)", "batch"), *_without("arguments")],
            points=3,
        ),
        Mistake(
            "ids_only",
            "Of the arguments only the ids are looked at afterwards. The mask and the segments "
            "must be as they were, too.",
            [("all(map(torch.equal, copies, batch))", "torch.equal(copies[0], batch[0])")],
            points=3,
        ),
        Mistake(
            "padding_repeated",
            "Two calls are compared in all rows, those of padding, too; they may hold anything, "
            "and something else each time. Which rows are promised to be the same?",
            [
                (
                    "torch.equal(encode(*batch)[real], encode(*batch)[real])",
                    "torch.equal(encode(*batch), encode(*batch))",
                )
            ],
        ),
        Mistake(
            "seeded",
            "An encoder with dropout alive gets through. If the same seed is set before each call, "
            "even what is drawn is the same twice: set it once, before the first call, or never.",
            [
                (
                    "        return encode(*(tensor.clone() for tensor in batch))\n",
                    "        torch.manual_seed(0)\n"
                    "        return encode(*(tensor.clone() for tensor in batch))\n",
                )
            ],
        ),
        Mistake(
            "only_padding",
            "“Alone = in batch” is tested and nothing else. It does not need positions, nor "
            "segments, nor that tokens see each other.",
            _instead(_CALLS["padding"]),
        ),
        Mistake(
            "only_twice",
            "The test asks for the same result twice and nothing else; only chance is caught.",
            _instead(_CALLS["twice"]),
        ),
        Mistake(
            "only_order",
            "Only positions are tested.",
            _instead(_CALLS["order"]),
        ),
        Mistake(
            "only_segments",
            "Only segments are tested.",
            _instead(_CALLS["segments"]),
        ),
        Mistake(
            "only_arguments",
            "The test looks at its arguments and at nothing else; look at the result.",
            _instead(_CALLS["arguments"]),
        ),
        Mistake(
            "no_order_no_segments",
            "Neither positions nor segments are tested: change the order of the words, and change "
            "`token_type_ids`.",
            _without("order", "segments"),
        ),
        Mistake(
            "output_alone",
            "Whether tokens see each other is not tested, nor whether arguments are changed.",
            _without("context", "arguments"),
            points=3,
        ),
    ),
)
