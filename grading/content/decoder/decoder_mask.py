"""One mask for everything."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from grading.content.decoder.sections import CAUSAL, PADDING, RECTANGLE
from grading.content.decoder.shared import Flags
from grading.content.drawing import draw_integer
from grading.exercise import Case, Exercise, Mistake, Part


def _mask(wrong: Flags = frozenset()) -> Callable:
    def decoder_mask(attention_mask, queries, window=None):
        keys = attention_mask.size(1)
        if "square_result" in wrong:
            queries = keys
        offset = 0 if "upper_left" in wrong else keys - queries
        at = torch.arange(queries)[:, None] + offset  # the place of each query
        key = torch.arange(keys)[None]
        causal = key <= at
        if "one_ahead" in wrong:
            causal = key <= at + 1
        if "not_itself" in wrong:
            causal = key < at
        if "transposed" in wrong:
            causal = key >= at
        if "transposed_upper_left" in wrong:
            causal = key >= torch.arange(queries)[:, None]
        if "causal_inverted" in wrong:
            causal = key > at
        if "cache_hidden" in wrong:
            causal = causal & (key >= keys - queries)
        if "no_causality" in wrong:
            causal = torch.ones(queries, keys, dtype=torch.bool)
        if window is not None and "no_window" not in wrong:
            width = window + ("window_one_more" in wrong) - ("window_one_less" in wrong)
            start = torch.arange(queries)[:, None] if "window_upper_left" in wrong else at
            near = key > start - width
            if "window_both_sides" in wrong:
                near = (key - at).abs() < window
            if "window_half" in wrong:
                near = key >= start - window // 2
            if "window_centred" in wrong:
                near = (key - at).abs() <= window // 2
            if "window_inverted" in wrong:
                near = ~near
            if "window_turned" in wrong:
                near = key < start + width
            if "last_keys" in wrong:
                near = (key >= keys - window).expand_as(causal)
            alone = {"window_alone", "window_both_sides", "window_centred"} & wrong
            causal = near if alone else causal & near
        real = attention_mask != 0
        if "right_only" in wrong:
            real = key < real.sum(1, keepdim=True)
        if "padding_inverted" in wrong:
            real = ~real
        mask = causal[None] & real[:, None]
        if "no_padding" in wrong:
            mask = causal[None].expand(len(real), -1, -1)
        if "or_for_and" in wrong:
            mask = causal[None] | real[:, None]
        if "padding_in_rows" in wrong:
            mask = causal[None] & real[:, -queries:, None]
        if "padding_in_first_rows" in wrong:
            mask = causal[None] & real[:, :queries, None]
        if "rows_of_padding" in wrong:
            mask = mask & real[:, -queries:, None]
        if "padding_sees_all" in wrong:
            mask = mask | ~real[:, -queries:, None]
        if "padding_sees_real" in wrong:
            mask = mask | (~real[:, -queries:, None] & real[:, None])
        if "sees_itself" in wrong:
            mask = mask | (key == at)[None]
        if "rows_opened" in wrong:
            mask = mask | ~mask.any(-1, keepdim=True)
        mask = mask[:, None]
        return ~mask if "inverted" in wrong else mask

    return decoder_mask


_RIGHT_MASK = _mask()


def _mask_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, rectangular=False, queries=None, batch=None, window=None, dtype=None):
        keys = draw_integer(generator, 7, 9)
        rows = batch or draw_integer(generator, 4, 5)
        if queries is None:
            queries = draw_integer(generator, 3, keys - 3) if rectangular else keys
            queries += rectangular and queries == rows  # 3, or up to 6; never the batch
        real = torch.ones(rows, keys, dtype=torch.int64)
        for row in range(rows):
            count = draw_integer(generator, 1, 2)
            if row % 3 == 0:
                real[row, :count] = 0  # on the left: the first queries see nothing
            elif row % 3 == 1:
                real[row, -count:] = 0
            else:
                real[row, keys // 2] = 0  # a hole
        if rows == 1 and queries == 1:
            real[0, -2] = 0
        arguments = [("attention_mask", real.to(dtype or torch.int64)), ("queries", queries)]
        if window:
            arguments.append(("window", window))
        return Case(title, part, tuple(arguments))

    return [
        case("as many queries as keys", "core"),
        case("a few queries after a cache", "core", rectangular=True),
        case("one query after a cache", "core", queries=1),
        case("a batch of one, one key behind the cache", "core", batch=1, rectangular=True),
        case("a window", "window", window=3),
        case("a window after a cache", "window", rectangular=True, window=2),
        case("a window of one", "window", window=1),
        case("a window wider than the text", "window", rectangular=True, window=20),
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


def _window_of_real(attention_mask, queries, window=None):
    """The window counts real tokens."""
    mask = _RIGHT_MASK(attention_mask, queries)
    if window is None:
        return mask
    number = attention_mask.long().cumsum(1)
    return mask & (number[:, None] > number[:, -queries:, None] - window)[:, None]


def _negative_start(attention_mask, queries, window=None):
    """A slice whose start is negative counts from the end."""
    mask = _RIGHT_MASK(attention_mask, queries)
    for i in range(queries if window is not None else 0):
        at = mask.size(-1) - queries + i
        near = torch.zeros(mask.size(-1), dtype=torch.bool)
        near[at - window + 1 : at + 1] = True
        mask[:, :, i] &= near
    return mask


def _shifted_mask(by: int) -> Callable:
    """Each query stands one place too far to the right or to the left, for its window, too."""

    def decoder_mask(attention_mask, queries, window=None):
        keys = attention_mask.size(1)
        at = torch.arange(queries)[:, None] + keys - queries + by
        allowed = torch.arange(keys) <= at
        if window is not None:
            allowed = allowed & (torch.arange(keys) > at - window)
        return allowed & (attention_mask != 0)[:, None, None, :]

    return decoder_mask


def _padding_along_queries(attention_mask, queries, window=None):
    """Works only with as many queries as keys, or with one."""
    allowed = _RIGHT_MASK(torch.ones_like(attention_mask), queries, window)
    return allowed & (attention_mask != 0)[:, None, :, None]


def _without_axes(front: int) -> Callable:
    """The mask of the texts gets ``front`` new axes, all before its batch."""

    def decoder_mask(attention_mask, queries, window=None):
        alone = _RIGHT_MASK(torch.ones_like(attention_mask[:1]), queries, window)[0, 0]
        return alone & (attention_mask != 0)[(None,) * front]

    return decoder_mask


def _window_none(use: Callable) -> Callable:
    def decoder_mask(attention_mask, queries, window=None):
        use(window)
        return _RIGHT_MASK(attention_mask, queries, window)

    return decoder_mask


def _last_real_queries(attention_mask, queries, window=None):
    """The queries are taken for the last real tokens of each row."""
    keys, real = attention_mask.size(1), attention_mask != 0
    at = (real.sum(1)[:, None] - queries + torch.arange(queries))[:, None, :, None]
    near = torch.arange(keys) > at - (keys + queries if window is None else window)
    return (torch.arange(keys) <= at) & near & real[:, None, None]


def _additive_mask(lowest: float = -math.inf) -> Callable:
    def decoder_mask(attention_mask, queries, window=None):
        hidden = torch.zeros(len(attention_mask), 1, queries, attention_mask.size(1))
        return hidden.masked_fill(~_RIGHT_MASK(attention_mask, queries, window), lowest)

    return decoder_mask


EXERCISE = Exercise(
    id="decoder_mask",
    title="One mask for everything",
    signature="decoder_mask(attention_mask, queries, window=None)",
    reference=_RIGHT_MASK,
    cases=_mask_cases,
    parts=(
        Part("core", "causality and padding, also after a cache", 2),
        Part("window", "no further back than a window", 1),
        Part("forms", "booleans and floats", 1),
    ),
    minutes=15,
    difficulty=1,
    section=PADDING,
    variant=_mask,
    alternatives={
        "loop": _loop_mask,
        "rows of a square": _sliced_mask,
        "product": _product_mask,
    },
    mistakes=(
        Mistake(
            "upper_left",
            "The triangle starts in the upper left corner. The queries are the *last* ones, so its "
            "diagonal must end in the lower right: query i stands at place keys − queries + i.",
            section=RECTANGLE,
        ),
        Mistake(
            "one_ahead",
            "The diagonal lies one place too far to the right: each query sees its successor, "
            "which is the answer it is asked for.",
            other_forms=(_shifted_mask(1),),
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "not_itself",
            "The diagonal is missing: a query sees what stands before it *and itself*.",
            other_forms=(_shifted_mask(-1),),
            section=CAUSAL,
        ),
        Mistake(
            "transposed",
            "The triangle is transposed: the queries see their future and not their past.",
            other_forms=(
                _mask(frozenset({"transposed", "window_turned"})),
                _mask(frozenset({"transposed_upper_left"})),
            ),
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "causal_inverted",
            "The causal rule is inverted: `triu(1)` (or `>`) marks the future, which is to be "
            "*hidden*; here it is all that is seen.",
            other_forms=(_mask(frozenset({"causal_inverted", "window_turned"})),),
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "cache_hidden",
            "The keys before the first query are hidden. They are in the cache to be seen: each "
            "query sees its own place and *all* before it.",
            section=RECTANGLE,
            alone=True,
        ),
        Mistake(
            "no_causality",
            "This is the padding mask alone: nothing hides the future.",
            section=CAUSAL,
            alone=True,
        ),
        Mistake(
            "no_padding",
            "This is the causal mask alone: it replaces the padding mask, and padding is seen. A "
            "key must be real *and* not in the future.",
        ),
        Mistake(
            "or_for_and",
            "The two masks are joined by “or”: what only one of them allows is allowed. A key must "
            "pass both, so join them by `&`.",
            alone=True,
        ),
        Mistake(
            "padding_inverted",
            "The padding mask is inverted: the padding is seen and the real tokens are hidden.",
            alone=True,
        ),
        Mistake(
            "inverted",
            "The whole mask is inverted: True must mean that the key is seen.",
        ),
        Mistake(
            "rows_of_padding",
            "The rows of padded queries are hidden, too. The mask is about keys: what a padded "
            "query sees does not matter, and it is left as it comes.",
        ),
        Mistake(
            "padding_in_rows",
            "The padding mask lies along the wrong axis: it empties the rows of padded queries, "
            "and padded *keys* are seen. `[:, None, None, :]` puts it along the keys.",
            other_forms=(
                _mask(frozenset({"padding_in_first_rows"})),
                _padding_along_queries,
            ),
            alone=True,
        ),
        Mistake(
            "sees_itself",
            "Each query is allowed to see itself even where it is padding. Padding is a hidden key "
            "for every query; rows in which nothing is left are allowed.",
            alone=True,
        ),
        Mistake(
            "rows_opened",
            "Rows in which nothing is left are opened again. Where the rules leave a query "
            "nothing, its row stays False throughout.",
            alone=True,
        ),
        Mistake(
            "axes_do_not_fit",
            "`attention_mask` is `[batch, keys]` and meets `[queries, keys]`, so its batch lies "
            "along the queries. Give it new axes for head and query: `[:, None, None, :]`.",
            _without_axes(2),
            other_forms=(_without_axes(0), _without_axes(1)),
        ),
        Mistake(
            "padding_sees_all",
            "The rows of padded queries are opened. What a padded query sees does not matter, and "
            "it is left as the rules give it.",
            other_forms=(_mask(frozenset({"padding_sees_real"})),),
            alone=True,
        ),
        Mistake(
            "right_only",
            "The mask only counts the real tokens, as if all padding stood on the right. It may be "
            "anywhere: look at each key's own entry.",
            alone=True,
        ),
        Mistake(
            "last_real_queries",
            "The queries are taken for the last *real* tokens. They are the last places, padded or "
            "not: query i stands at place keys − queries + i.",
            _last_real_queries,
        ),
        Mistake(
            "square_result",
            "The mask has a row for each key. It needs one for each query, the last `queries` of "
            "them.",
            section=RECTANGLE,
            alone=True,
        ),
        Mistake(
            "no_window",
            "`window` hides nothing: it is not used, or compared the wrong way round.",
            points=3,
        ),
        Mistake(
            "window_one_more",
            "The window is one place too wide: it counts the query's own place, so with 1 a query "
            "sees itself alone.",
            points=3,
        ),
        Mistake(
            "window_one_less",
            "The window is one place too narrow: it counts the query's own place, so with 1 a "
            "query sees itself, and not nothing.",
            points=3,
        ),
        Mistake(
            "window_upper_left",
            "The window is measured from the row's number. The queries are the last ones: query i "
            "stands at place keys − queries + i.",
            points=3,
            section=RECTANGLE,
        ),
        Mistake(
            "window_half",
            "The window reaches back by half of `window` only. All of it lies before the query's "
            "own place, which is its last.",
            points=3,
            alone=True,
        ),
        Mistake(
            "window_none",
            "`window` may be None, with which nothing can be computed or compared: ask whether "
            "`window is not None` first.",
            _window_none(lambda window: 1 - window),
            other_forms=(
                _window_none(lambda window: -window),
                _window_none(lambda window: torch.arange(2) < window),
                _window_none(lambda window: torch.arange(2) <= window),
                _window_none(lambda window: torch.arange(2) - window),
            ),
        ),
        Mistake(
            "window_inverted",
            "The window is inverted: what is too old is seen, and what is near is hidden.",
            points=3,
            alone=True,
        ),
        Mistake(
            "window_alone",
            "With a window the causal mask is lost: the window hides what is too old, and the "
            "future must be hidden, too.",
            points=3,
            alone=True,
        ),
        Mistake(
            "window_both_sides",
            "The window reaches to both sides: the distance was taken without its sign, and a "
            "query sees its future as far as its past.",
            other_forms=(_mask(frozenset({"window_centred"})),),
            points=3,
            alone=True,
        ),
        Mistake(
            "last_keys",
            "The window is the same for all queries, the last `window` keys of the text. Each "
            "query has its own, which ends at its own place.",
            points=3,
            alone=True,
        ),
        Mistake(
            "window_of_real",
            "The window counts real tokens only. Padding takes up places, too: compare the places "
            "of query and key.",
            _window_of_real,
            points=3,
        ),
        Mistake(
            "negative_start",
            "Where the window is wider than what stands before a query, the slice begins at a "
            "negative number, which Python counts from the end. Let it begin at 0 at least.",
            _negative_start,
            points=3,
        ),
        Mistake(
            "no_head_axis",
            "The head axis is missing: the shape must be `[batch, 1, queries, keys]`.",
            lambda *arguments: _RIGHT_MASK(*arguments)[:, 0],
        ),
        Mistake(
            "no_batch",
            "Every sentence of the batch gets the mask of the first one.",
            lambda mask, *rest: _RIGHT_MASK(mask[:1].expand_as(mask), *rest),
        ),
        Mistake(
            "additive",
            "These are numbers to be added to scores, 0 for seen and −∞ or a very negative one for "
            "hidden. Asked for are booleans, True for seen.",
            _additive_mask(),
            other_forms=(_additive_mask(-1e9), _additive_mask(torch.finfo(torch.float32).min)),
        ),
        Mistake(
            "integers",
            "These are ones and zeros, not booleans. Attention functions would add them to the "
            "scores.",
            lambda *arguments: _RIGHT_MASK(*arguments).long(),
        ),
        Mistake(
            "short_integers",
            "These are ones and zeros of dtype int32, not booleans. Attention functions would add "
            "them to the scores.",
            lambda *arguments: _RIGHT_MASK(*arguments).int(),
        ),
        Mistake(
            "floats",
            "These are the floats 1.0 and 0.0, not booleans. Attention functions would add them to "
            "the scores.",
            lambda *arguments: _RIGHT_MASK(*arguments).float(),
        ),
        Mistake(
            "dtype_of_mask",
            "The result has the dtype of `attention_mask`. It must be `bool`, whatever the mask is "
            "made of.",
            lambda mask, *rest: _RIGHT_MASK(mask, *rest).to(mask.dtype),
        ),
        Mistake(
            "not_for_booleans",
            "A minus sign does not work with booleans, so `1 - attention_mask` fails. Compare "
            "instead, `attention_mask != 0`, which works for every dtype.",
            lambda mask, *rest: (
                _RIGHT_MASK(mask, *rest) & (1 - mask == 0)[:, None, None]
                if mask.dtype == torch.bool
                else _RIGHT_MASK(mask, *rest)
            ),
            points=3,
        ),
        Mistake(
            "only_integers",
            "`&` between a mask of floats and booleans fails. Make booleans of `attention_mask` "
            "first, with `.bool()` or `!= 0`.",
            lambda mask, *rest: (
                _RIGHT_MASK(mask, *rest)
                & (mask if mask.is_floating_point() else mask.bool())[:, None, None]
            ),
            points=3,
            any_error=True,
        ),
        Mistake(
            "padding_sliced",
            "The padding mask is cut to the last `queries` keys. All keys are there; only the "
            "queries are the last ones.",
            lambda mask, queries, window=None: (
                _RIGHT_MASK(torch.ones_like(mask), queries, window)
                & (mask != 0)[:, None, None, -queries:]
            ),
            any_error=True,
        ),
    ),
)
