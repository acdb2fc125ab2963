"""One mask for everything: causality, padding, a cache and a window in one tensor of booleans."""

from __future__ import annotations

import torch

from grading.content.decoder.sections import PADDING
from grading.content.drawing import draw_integer
from grading.exercise import Case, Part, Question


def decoder_mask(attention_mask, queries, window=None):
    """True where a query may see a key."""
    keys = attention_mask.size(1)
    key = torch.arange(keys)
    query = torch.arange(queries)[:, None] + keys - queries  # the last positions
    allowed = key <= query
    if window is not None:
        allowed = allowed & (key > query - window)
    real = attention_mask != 0
    mask = allowed & real[:, None, None]  # [batch, 1, queries, keys]
    return mask


def _mask_cases(generator: torch.Generator) -> list[Case]:
    def drawn_mask(rows, keys, first=0):
        real = torch.ones(rows, keys, dtype=torch.int64)
        for row in range(rows):
            count = draw_integer(generator, 1, 2)
            if (row + first) % 3 == 0:
                real[row, :count] = 0  # on the left: the first queries see nothing
            elif (row + first) % 3 == 1:
                real[row, -count:] = 0
            else:
                real[row, keys // 2] = 0  # a hole
        return real

    def called_again(title, part, keys, *windows, queries=(3, 3, 3)):
        calls = [
            (drawn_mask(4, keys, first), own, *([window] if window else []))
            for first, (window, own) in enumerate(zip(windows, queries, strict=True))
        ]
        names = ("attention_mask", "queries", "window")
        return Case(title, part, tuple(zip(names, calls[0], strict=False)), again=tuple(calls[1:]))

    def case(
        title, part, rectangular=False, queries=None, batch=None, window=None, dtype=None,
        fill=None, full=None, square=False,
    ):  # fmt: skip
        keys = draw_integer(generator, 7, 9)
        rows = keys if square else batch or draw_integer(generator, 4, 5)
        if queries is None:
            queries = draw_integer(generator, 3, keys - 3) if rectangular else keys
            queries += rectangular and queries == rows  # 3, or up to 6; never the batch
        real = drawn_mask(rows, keys)
        if rows > 1 and queries == keys and not window:
            real[3] = 0  # a text that is all padding
        if fill is not None:  # no padding at all, or nothing else
            real[:] = fill
        if full is not None:  # a text without padding beside others
            real[full] = 1
        arguments = [("attention_mask", real.to(dtype or torch.int64)), ("queries", queries)]
        if window:
            arguments.append(("window", window))
        return Case(title, part, tuple(arguments))

    return [
        case("as many queries as keys, and as texts", "core", square=True),
        case("a few queries after a cache", "core", rectangular=True, full=0),
        case("one query after a cache", "core", queries=1, full=-1),
        case("a batch of one, all padding", "core", batch=1, rectangular=True, fill=0),
        case("several texts, nothing padded", "core", rectangular=True, fill=1),
        called_again(
            "called again, other padding and queries",
            "core",
            10,
            *(None, None, None),
            queries=(3, 3, 5),
        ),
        called_again("called again, other windows", "window", 11, 2, 4, None),
        case("a window", "window", window=5),
        case("a window after a cache", "window", rectangular=True, window=2),
        case("a window of one", "window", window=1),
        case("a window, one query, one text", "window", queries=1, batch=1, window=3),
        case("a window wider than the text, nothing padded", "window", window=20, fill=1),
        case("a mask of booleans", "forms", rectangular=True, dtype=torch.bool),
        case("a mask of floats", "forms", rectangular=True, dtype=torch.float32),
    ]


def _loop_mask(attention_mask, queries, window=None):
    batch, keys = attention_mask.shape
    mask = torch.zeros(batch, 1, queries, keys, dtype=torch.bool)
    for b in range(batch):
        for i in range(queries):
            own = keys - queries + i
            first = 0 if window is None else max(0, own - window + 1)
            for j in range(first, own + 1):
                mask[b, 0, i, j] = bool(attention_mask[b, j])
    return mask


def _sliced_mask(attention_mask, queries, window=None):
    keys = attention_mask.shape[-1]
    square = torch.ones(keys, keys, dtype=torch.bool).tril()
    if window is not None:
        square = square.triu(1 - window)
    return torch.logical_and(square[keys - queries :], attention_mask.bool()[:, None, None, :])


def _product_mask(attention_mask, queries, window=None):
    keys = attention_mask.size(-1)
    band = torch.ones(queries, keys).tril(keys - queries)
    if window is not None:
        band = band * torch.ones(queries, keys).triu(keys - queries - window + 1)
    return torch.einsum("qk,bk->bqk", band, attention_mask.float()).unsqueeze(1) > 0.5


QUESTION = Question(
    id="decoder_mask",
    title="One mask for everything",
    signature="decoder_mask(attention_mask, queries, window=None)",
    reference=decoder_mask,
    cases=_mask_cases,
    parts=(
        Part("core", "causality and padding, also after a cache", 2),
        Part("window", "no further back than a window", 1),
        Part("forms", "booleans and floats", 1),
    ),
    minutes=15,
    difficulty=1,
    section=PADDING,
    alternatives={
        "loop": _loop_mask,
        "rows of a square": _sliced_mask,
        "product": _product_mask,
    },
)
