"""Assignment 8, the decoder: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook. References are
written so that they can be made wrong (``variant``); the alternatives are written differently.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, product

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading.content import decoder_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part

ASSIGNMENT = "08_decoder"

_CAUSAL = "“The causal mask” in chapter 8"
_PADDING = "“Padding and causal” in chapter 8"
_RECTANGLE = "“Prefill in pieces: a rectangular mask” in chapter 8"
_SHIFT = "“What a decoder learns: the next token” in chapter 8"
_TEMPERATURE = "“Temperature” in chapter 8"
_FILTERS = "“Top-k and top-p” in chapter 8"
_CACHE = "“The cache of keys and values” in chapter 8"
_POSITIONS = "“Positions go on” in chapter 8"
_BEAMS = "“Beam search” in chapter 8"
_COMMON = "“Common mistakes” in chapter 8"

Flags = frozenset[str]


def _integer(generator: torch.Generator, low: int, high: int) -> int:
    """Draw from ``low`` to ``high``, both included."""
    return int(torch.randint(low, high + 1, (), generator=generator))


def _normal(generator: torch.Generator, *shape: int, size: float = 1.3) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


# ---- Exercise 1: decoder_mask --------------------------------------------------------------------


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
        keys = _integer(generator, 7, 9)
        rows = batch or _integer(generator, 4, 5)
        if queries is None:
            queries = _integer(generator, 3, keys - 3) if rectangular else keys
            queries += rectangular and queries == rows  # 3, or up to 6; never the batch
        real = torch.ones(rows, keys, dtype=torch.int64)
        for row in range(rows):
            count = _integer(generator, 1, 2)
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


DECODER_MASK = Exercise(
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
    section=_PADDING,
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
            section=_RECTANGLE,
        ),
        Mistake(
            "one_ahead",
            "The diagonal lies one place too far to the right: each query sees its successor, "
            "which is the answer it is asked for.",
            versions=(_shifted_mask(1),),
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "not_itself",
            "The diagonal is missing: a query sees what stands before it *and itself*.",
            versions=(_shifted_mask(-1),),
            section=_CAUSAL,
        ),
        Mistake(
            "transposed",
            "The triangle is transposed: the queries see their future and not their past.",
            versions=(
                _mask(frozenset({"transposed", "window_turned"})),
                _mask(frozenset({"transposed_upper_left"})),
            ),
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "causal_inverted",
            "The causal rule is inverted: `triu(1)` (or `>`) marks the future, which is to be "
            "*hidden*; here it is all that is seen.",
            versions=(_mask(frozenset({"causal_inverted", "window_turned"})),),
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "cache_hidden",
            "The keys before the first query are hidden. They are in the cache to be seen: each "
            "query sees its own place and *all* before it.",
            section=_RECTANGLE,
            alone=True,
        ),
        Mistake(
            "no_causality",
            "This is the padding mask alone: nothing hides the future.",
            section=_CAUSAL,
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
            versions=(
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
            versions=(_without_axes(0), _without_axes(1)),
        ),
        Mistake(
            "padding_sees_all",
            "The rows of padded queries are opened. What a padded query sees does not matter, and "
            "it is left as the rules give it.",
            versions=(_mask(frozenset({"padding_sees_real"})),),
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
            section=_RECTANGLE,
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
            section=_RECTANGLE,
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
            versions=(
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
            versions=(_mask(frozenset({"window_centred"})),),
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
            versions=(_additive_mask(-1e9), _additive_mask(torch.finfo(torch.float32).min)),
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


# ---- Exercise 2: next_token_probabilities --------------------------------------------------------


def _probabilities(wrong: Flags = frozenset()) -> Callable:
    def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
        vocab = logits.size(-1)
        if temperature == 0:
            return F.one_hot(logits.argmax(-1), vocab).to(logits.dtype)
        heated = logits * temperature if "multiplied" in wrong else logits / temperature
        if "no_temperature" in wrong:
            heated = logits
        if "softmax_twice" in wrong:
            heated = heated.softmax(-1)
        if "heated_twice" in wrong:
            heated = heated / temperature
        scores = logits if "temperature_last" in wrong else heated
        if "heated_again" in wrong:
            heated = heated / temperature
        fill = 1e-10 if "small_fill" in wrong else -math.inf
        keep = torch.ones_like(logits, dtype=torch.bool)

        def k_filter(scores, keep):
            if top_k is None or "no_top_k" in wrong:
                return keep
            if "whole_batch" in wrong:
                return keep & (scores >= scores.flatten().topk(min(top_k, vocab)).values[-1])
            if "only_p" in wrong and top_p is not None:
                return keep
            thresholds = scores.topk(min(top_k, vocab)).values[..., -1:]
            for name, one in (
                ("smallest_threshold", thresholds.min()),
                ("largest_threshold", thresholds.max()),
                ("first_threshold", thresholds.flatten()[0]),
            ):
                if name in wrong:
                    return keep & (scores >= one)
            if "lost_axis" in wrong:
                return keep & (scores >= thresholds.squeeze(-1))
            k = top_k + ("one_more" in wrong) - ("one_less" in wrong)
            k = max(1, min(k, vocab - ("limit_less" in wrong)))
            if "best_cut" in wrong:
                return keep & ((scores < thresholds) | ("not_all" in wrong and top_k >= vocab))
            return keep & (scores >= scores.topk(k).values[..., -1:])

        def p_filter(scores, keep):
            if top_p is None or "no_top_p" in wrong or ("one_filter" in wrong and top_k):
                return keep
            p = scores.masked_fill(~keep, -math.inf).softmax(-1)
            if "k_not_renormalised" in wrong:
                p = scores.softmax(-1) * keep
            if "fill_counts" in wrong:
                p = scores.masked_fill(~keep, fill).softmax(-1)
            if "sum_of_logits" in wrong:
                p = scores.masked_fill(~keep, -math.inf)
            if "sum_unsorted" in wrong:
                return keep & (p.cumsum(-1) - p < top_p)
            ordered, order = p.sort(descending="p_ascending" not in wrong, stable=True)
            before = ordered.cumsum(-1) - ordered
            drop = before >= top_p
            for axis in (0, 1):
                if f"sum_along_{axis}" in wrong and p.dim() > axis:
                    drop = ordered.cumsum(axis) - ordered >= top_p
                    return keep & ~drop.scatter(-1, order, drop)
            if "first_not_kept" in wrong:
                drop = torch.cat([ordered[..., :1] > top_p, drop[..., 1:]], -1)
            if "first_dropped" in wrong:
                drop = before + ordered > top_p
            if "crossing_dropped" in wrong:  # the most likely token always stays
                drop = (before + ordered > top_p) & (before > 0)
            if "crossing_and_next" in wrong:
                drop = drop & drop.roll(1, -1)
            if "tail_of_p" in wrong:
                drop = 1 - before <= top_p  # what is left, this token included
            if "tail_to_p" in wrong:
                drop = (1 - before - ordered < top_p) & (before > 0)
            if "nucleus_cut" in wrong:
                drop = ~drop
            if "not_scattered" in wrong:
                return keep & ~drop
            if "gathered" in wrong:
                return keep & ~drop.gather(-1, order)
            if "threshold" in wrong:
                return keep & (p >= torch.minimum(torch.tensor(top_p), ordered[..., :1]))
            return keep & ~drop.scatter(-1, order, drop)

        if "p_before_k" in wrong:
            keep = p_filter(scores, keep) & k_filter(scores, keep)
        else:
            keep = p_filter(scores, k_filter(scores, keep))
        if "not_renormalised" in wrong:
            return heated.softmax(-1) * keep
        if "k_not_renormalised" in wrong and top_p is None:
            return heated.softmax(-1) * keep
        if "p_not_renormalised" in wrong:
            left = k_filter(scores, torch.ones_like(keep))
            return heated.masked_fill(~left, fill).softmax(-1) * keep
        if "sorted_by_p" in wrong and top_p is not None:
            return heated.masked_fill(~keep, fill).softmax(-1).sort(descending=True).values
        result = heated.masked_fill(~keep, fill).softmax(-1)
        if "softmax_of_result" in wrong:
            return result.softmax(-1)
        if "after_softmax" in wrong:
            return heated.masked_fill(~keep, fill).mul(temperature).softmax(-1) / temperature
        return result

    return next_token_probabilities


_RIGHT_PROBABILITIES = _probabilities()


def _clear_logits(
    generator: torch.Generator,
    shape: tuple[int, ...],
    settings: tuple,
    differ: tuple[str | tuple[str, str], ...],
) -> Tensor:
    """Draw logits without near ties, on which a right result is safe and wrong ones show.

    ``differ``: mistakes whose results are not right, and pairs with different results.
    """
    temperature, top_k, top_p = settings
    while True:
        logits = _normal(generator, *shape, size=1.6)
        if temperature == 0:  # the first two of the first row are near, as a low temperature shows
            best, second = logits[0].topk(2).indices
            logits[0, second] = logits[0, best] - 6e-3
        if float(logits.sort(-1).values.diff(dim=-1).min()) < 5e-3:
            continue
        expected = _RIGHT_PROBABILITIES(logits, *settings)
        if top_p is not None:
            kept = _RIGHT_PROBABILITIES(logits, temperature, top_k)
            reached = kept.sort(descending=True).values.cumsum(-1)
            if float((reached - top_p).abs().min()) < 5e-3:
                continue
        found = {
            flags: [_probabilities(frozenset({flag}))(logits, *settings) for flag in flags]
            for flags in (flags if isinstance(flags, tuple) else (flags,) for flags in differ)
        }
        pairs = [(expected, *wrong) if len(wrong) == 1 else wrong for wrong in found.values()]
        if all(float((one - other).abs().max()) > 5e-3 for one, other in pairs):
            return logits


def _probabilities_cases(generator: torch.Generator) -> list[Case]:
    def draw(low, high):
        return round(low + (high - low) * float(torch.rand((), generator=generator)), 2)

    def case(title, part, shape=None, settings=(1.0, None, None), differ=(), **options):
        rows = _integer(generator, 2, 3)
        shape = shape or (rows, _integer(generator, 8, 10))
        logits = _clear_logits(generator, shape, settings, differ)
        names = ("logits", "temperature", "top_k", "top_p")
        return Case(title, part, tuple(zip(names, (logits, *settings), strict=True)), **options)

    both = ("p_before_k", "crossing_dropped", "crossing_and_next", "no_top_k")
    tails = (("threshold", "tail_of_p"), ("threshold", "tail_to_p"))
    thresholds = ("whole_batch", "smallest_threshold", "largest_threshold")
    return [
        case("cold", "core", settings=(draw(0.4, 0.7), None, None)),
        case("hot", "core", settings=(draw(1.5, 2.5), None, None)),
        case("top-k", "core", settings=(1.0, _integer(generator, 3, 4), None), differ=thresholds),
        case("top-k of 1", "core", settings=(1.0, 1, None)),
        case("top-k, hot", "core", settings=(draw(1.5, 2.5), _integer(generator, 2, 5), None)),
        case("gradients", "core", settings=(0.7, 3, None), gradient=True),
        case(
            "top-p",
            "nucleus",
            settings=(1.0, None, draw(0.6, 0.8)),
            differ=("crossing_dropped", "crossing_and_next", "not_scattered", "threshold"),
        ),
        case("a very small top-p", "nucleus", settings=(1.0, None, 0.05), differ=tails),
        case("top-p, a batch of texts", "nucleus", (2, 3, 7), (1.5, None, 0.7)),
        case(
            "top-p, hot",
            "nucleus",
            settings=(draw(1.8, 2.5), None, draw(0.6, 0.7)),
            differ=("temperature_last", "crossing_dropped"),
        ),
        case("top-k, then top-p", "nucleus", settings=(1.0, 5, draw(0.6, 0.75)), differ=both),
        case("temperature 0", "corner", settings=(0.0, None, None)),
        case("temperature 0 with filters", "corner", settings=(0.0, 3, 0.5)),
        case("k larger than the vocabulary", "corner", settings=(0.8, 20, None)),
        case("one row, no batch", "corner", shape=(9,), settings=(0.8, 4, None)),
        case("a batch of texts", "corner", shape=(2, 3, 7), settings=(1.5, 4, None)),
    ]


def _loop_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    rows = []
    for row in logits.reshape(-1, logits.shape[-1]):
        if temperature == 0:
            rows.append(torch.zeros_like(row).index_fill(0, row.argmax(), 1.0))
            continue
        exponentials = (row / temperature - (row / temperature).max()).exp()
        order = sorted(range(len(row)), key=lambda i: -float(row[i].detach()))
        order = order[: top_k or len(row)]
        detached = exponentials.detach()
        whole, so_far, kept = float(detached[order].sum()), 0.0, []
        for i in order:
            if top_p is not None and kept and so_far / whole >= top_p:
                break
            kept.append(i)
            so_far += float(detached[i])
        stays = torch.zeros(len(row)).index_fill(0, torch.tensor(kept), 1.0)
        rows.append(exponentials * stays / (exponentials * stays).sum())
    return torch.stack(rows).reshape(logits.shape)


def _sorted_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        temperature, top_k, top_p = 1.0, 1, None
    values, order = (logits.double() / temperature).sort(dim=-1, descending=True)
    p = values.softmax(-1)
    if top_k is not None:
        p = torch.cat([p[..., :top_k], torch.zeros_like(p[..., top_k:])], -1)
        p = p / p.sum(-1, keepdim=True)
    if top_p is not None:
        reached = p.cumsum(-1)
        reached = torch.cat([torch.zeros_like(reached[..., :1]), reached[..., :-1]], -1)
        p = torch.where(reached < top_p, p, 0.0)
        p = p / p.sum(-1, keepdim=True)
    return torch.zeros_like(p).scatter(-1, order, p).to(logits.dtype)


def _hugging_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """The filters as Hugging Face writes them: ascending order, the smallest are removed."""
    if temperature == 0:
        return (logits == logits.amax(-1, keepdim=True)).to(logits.dtype)
    scores = logits / temperature
    if top_k is not None:
        remove = scores < torch.topk(scores, min(top_k, scores.size(-1)))[0][..., -1, None]
        scores = scores.masked_fill(remove, -math.inf)
    if top_p is not None:
        ordered, order = torch.sort(scores, descending=False)
        remove = ordered.softmax(dim=-1).cumsum(dim=-1) <= 1 - top_p
        remove[..., -1:] = False
        scores = scores.masked_fill(remove.scatter(-1, order, remove), -math.inf)
    return scores.softmax(-1)


def _pairwise_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    """Without sorting: compare each token with each other."""
    larger = logits[..., None, :] > logits[..., :, None]  # [..., token, other]
    rank = larger.sum(-1)
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    keep = rank < (top_k or logits.size(-1))
    p = (logits / temperature).masked_fill(~keep, -math.inf).softmax(-1)
    if top_p is not None:
        before = (larger * p[..., None, :]).sum(-1)
        p = p * (before < top_p)
    return p / p.sum(-1, keepdim=True)


def _in_place_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
    result = _RIGHT_PROBABILITIES(logits.clone(), temperature, top_k, top_p)
    if temperature:
        logits.detach().div_(temperature)
    return result


def _written_into(logits, temperature=1.0, top_k=None, top_p=None):
    """The logits that are cut are overwritten; divided, if need be, they are new ones."""
    result = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if temperature == 1 and (top_k is not None or top_p is not None):
        logits.detach().masked_fill_(result == 0, -math.inf)
    return result


def _divided_in_place(logits, temperature=1.0, top_k=None, top_p=None):
    """Where a gradient is wanted, autograd forbids it."""
    if temperature == 0:
        return _RIGHT_PROBABILITIES(logits, temperature)
    logits /= temperature
    return _RIGHT_PROBABILITIES(logits, 1.0, top_k, top_p)


def _ids(choose: Callable) -> Callable:
    def next_token_probabilities(*arguments):
        return choose(_RIGHT_PROBABILITIES(*arguments))

    return next_token_probabilities


def _only_kept(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if not temperature or top_k is None:
        return right
    return right.sort(descending=True).values[..., :top_k]


def _last_softmax(logits, temperature=1.0, top_k=None, top_p=None):
    """All goes along the last axis, but for the softmax at the end."""
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if temperature == 0:
        return right
    return (logits / temperature).masked_fill(right == 0, -math.inf).softmax(1)


def _none_kept(logits, temperature=1.0, top_k=None, top_p=None):
    """What is not larger than the k-th largest is cut, even if nothing is left."""
    if temperature == 0 or top_k is None:
        return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    scores = logits / temperature
    if top_k < logits.size(-1):
        scores = scores.masked_fill(scores <= scores.topk(top_k).values[..., -1:], -math.inf)
    return _RIGHT_PROBABILITIES(scores, 1.0, None, top_p)


def _none_compared(which: str) -> Callable:
    def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
        if temperature:
            {"top_k": top_k, "top_p": top_p, "topk": 1}[which] > 0  # noqa: B015
            logits.topk(top_k if which == "topk" else 1)
        return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)

    return next_token_probabilities


def _zero_softmax(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right.softmax(-1)


def _zero_in_batch(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right * (logits == logits.max())


def _no_zero(logits, temperature=1.0, top_k=None, top_p=None):
    if temperature == 0:
        return (logits / temperature).softmax(-1)
    return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)


def _zero_without_temperature(logits, temperature=1.0, top_k=None, top_p=None):
    return _RIGHT_PROBABILITIES(logits, temperature or 1.0, top_k, top_p)


def _no_limit(logits, temperature=1.0, top_k=None, top_p=None):
    if top_k is not None:
        logits.topk(top_k)
    return _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)


def _batch_axis(logits, temperature=1.0, top_k=None, top_p=None):
    """The vocabulary is looked for at axis 1."""
    right = _RIGHT_PROBABILITIES(logits.transpose(1, -1), temperature, top_k, top_p)
    return right.transpose(1, -1)


def _nearly_zero(least: float) -> Callable:
    def next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None):
        return _RIGHT_PROBABILITIES(logits, max(temperature, least), top_k, top_p)

    return next_token_probabilities


def _zero_integers(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right.long()


def _zero_index(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return right if temperature else right.argmax(-1)


def _filtered_logits(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    return (logits / temperature).masked_fill(right == 0, -math.inf) if temperature else right


def _first_row(logits, temperature=1.0, top_k=None, top_p=None):
    right = _RIGHT_PROBABILITIES(logits, temperature, top_k, top_p)
    if not temperature or logits.dim() == 1 or (top_k is None and top_p is None):
        return right
    keep = right.reshape(-1, logits.size(-1))[0] > 0
    return (logits / temperature).masked_fill(~keep, -math.inf).softmax(-1)


NEXT_TOKEN_PROBABILITIES = Exercise(
    id="next_token_probabilities",
    title="From logits to a draw",
    signature="next_token_probabilities(logits, temperature=1.0, top_k=None, top_p=None)",
    reference=_RIGHT_PROBABILITIES,
    cases=_probabilities_cases,
    parts=(
        Part("core", "temperature and top-k", 2),
        Part("nucleus", "top-p, alone and after the others", 1),
        Part("corner", "temperature 0, a large k, any number of axes", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_FILTERS,
    variant=_probabilities,
    alternatives={
        "loop over rows": _loop_probabilities,
        "sorted, in float64": _sorted_probabilities,
        "as Hugging Face": _hugging_probabilities,
        "without sorting": _pairwise_probabilities,
    },
    mistakes=(
        Mistake(
            "multiplied",
            "The logits are multiplied by the temperature; divide by it. A temperature below 1 "
            "must make the largest probability larger.",
            section=_TEMPERATURE,
        ),
        Mistake(
            "no_temperature",
            "`temperature` is not used.",
            section=_TEMPERATURE,
            alone=True,
        ),
        Mistake(
            "temperature_last",
            "The filters looked at the logits before they were divided by the temperature. Divide "
            "first: it changes what top-p keeps.",
            points=3,
            alone=True,
        ),
        Mistake(
            "small_fill",
            "The logits that are cut are set to about 0 (such as 1e-10). That is no small logit: "
            "e⁰ = 1. Set them to −∞.",
            versions=(_probabilities(frozenset({"small_fill", "fill_counts"})),),
            section=_COMMON,
        ),
        Mistake(
            "no_top_k",
            "`top_k` is not used.",
            alone=True,
        ),
        Mistake(
            "one_more",
            "Top-k keeps k + 1 tokens: in descending order the smallest that is kept is number "
            "k − 1, counted from 0.",
            section=_COMMON,
            alone=True,
        ),
        Mistake(
            "one_less",
            "Top-k keeps k − 1 tokens: the k-th largest must stay, so cut what is "
            "*smaller* than it.",
            versions=(_none_kept,),
        ),
        Mistake(
            "not_renormalised",
            "What is cut gets 0, but the others are not enlarged: the rows sum to less than 1. Cut "
            "logits before the softmax, or divide by the new sum.",
        ),
        Mistake(
            "k_not_renormalised",
            "After top-k the rows sum to less than 1: what is cut gets 0, but the others are not "
            "enlarged. Cut logits before the softmax, or divide by the new sum.",
            alone=True,
        ),
        Mistake(
            "whole_batch",
            "Top-k keeps k tokens of the whole batch. Each row has its own k-th largest logit: "
            "`topk` along the last axis, and keep that axis with `[..., -1:]`.",
            alone=True,
        ),
        Mistake(
            "smallest_threshold",
            "There is one top-k threshold for all rows. Each row has its own k-th largest logit: "
            "take it along the last axis, and keep that axis with `[..., -1:]`.",
            versions=(
                _probabilities(frozenset({"largest_threshold"})),
                _probabilities(frozenset({"first_threshold"})),
            ),
            alone=True,
        ),
        Mistake(
            "best_cut",
            "Top-k cuts the k most likely tokens and keeps the others: what is *smaller* than the "
            "k-th largest is to be cut.",
            versions=(_probabilities(frozenset({"best_cut", "not_all"})),),
            alone=True,
        ),
        Mistake(
            "lost_axis",
            "The k-th largest logits have lost their last axis: they are `[batch]` beside logits "
            "of `[batch, vocab]`. `[..., -1:]`, or `keepdim=True`, keeps it.",
            alone=True,
        ),
        Mistake(
            "softmax_twice",
            "A softmax is given probabilities. It takes logits: probabilities lie between 0 and 1, "
            "and what a second softmax makes of them is nearly uniform.",
            versions=(_probabilities(frozenset({"softmax_of_result"})),),
            alone=True,
        ),
        Mistake(
            "heated_twice",
            "The logits are divided by the temperature twice. Once is enough, before the filters.",
            versions=(_probabilities(frozenset({"heated_again"})),),
            section=_TEMPERATURE,
            alone=True,
        ),
        Mistake(
            "none_compared",
            "`top_k` and `top_p` may be None, and None cannot be compared with a number: ask "
            "whether they are `not None` first.",
            _none_compared("top_k"),
            versions=(_none_compared("top_p"),),
        ),
        Mistake(
            "after_softmax",
            "The probabilities are divided by the temperature, so they no longer sum to 1. Divide "
            "the logits, before the softmax.",
            section=_TEMPERATURE,
            alone=True,
        ),
        Mistake(
            "only_kept",
            "With top-k only the k probabilities that are left come back. All tokens need one, "
            "those that are cut 0, in the order of the vocabulary.",
            _only_kept,
        ),
        Mistake(
            "ids",
            "The id of a token comes back, drawn or the most likely one. Asked for are the "
            "probabilities with which it is drawn.",
            _ids(lambda p: p.argmax(-1)),
            versions=(
                _ids(lambda p: p.argmax(-1, keepdim=True)),
                _ids(lambda p: p.multinomial(1)),
                _ids(lambda p: p.multinomial(1).squeeze(-1)),
            ),
        ),
        Mistake(
            "no_top_p",
            "`top_p` is not used.",
            points=3,
            alone=True,
        ),
        Mistake(
            "crossing_dropped",
            "The token whose probability makes the sum reach p is cut. The nucleus is the smallest "
            "set whose sum *reaches* p, so this token belongs to it.",
            points=3,
        ),
        Mistake(
            "first_dropped",
            "What makes the sum larger than p is cut, be it the first token: then no token is "
            "left, and the softmax of −∞ alone is NaN. Cut a token if those *before* it reach p.",
            points=3,
            alone=True,
        ),
        Mistake(
            "crossing_and_next",
            "The nucleus has one token too many: it is complete as soon as its sum reaches p.",
            points=3,
        ),
        Mistake(
            "p_before_k",
            "Top-p was taken of all tokens, not of those that top-k left. Top-k comes first, and "
            "what is left counts as 1.",
            versions=(_probabilities(frozenset({"only_p"})),),
            points=3,
        ),
        Mistake(
            "tail_of_p",
            "What is cut are the least likely tokens that sum to p. It is the other way round: "
            "what *stays* sums to p at least, so at most 1 − p is cut.",
            versions=(_probabilities(frozenset({"tail_to_p"})),),
            points=3,
            alone=True,
        ),
        Mistake(
            "first_not_kept",
            "Where the most likely token alone has more than p, it is cut, too, and nothing is "
            "left: a softmax of −∞ alone is NaN. At least one token always stays.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_along_0",
            "The running sum for top-p goes along another axis than the vocabulary. It needs "
            "`cumsum(dim=-1)`.",
            versions=(_probabilities(frozenset({"sum_along_1"})),),
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_of_logits",
            "The running sum for top-p is made of logits. Probabilities are summed: softmax first.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_unsorted",
            "The running sum for top-p goes through the vocabulary in its own order. Sort the "
            "probabilities first, the largest in front.",
            points=3,
            alone=True,
        ),
        Mistake(
            "nucleus_cut",
            "Top-p cuts the most likely tokens, whose sum reaches p, and keeps the others. They "
            "are what stays.",
            points=3,
            alone=True,
        ),
        Mistake(
            "not_scattered",
            "What top-p cuts was found in sorted order, and was cut at the same places of the "
            "*unsorted* logits. Bring it back into the order of the vocabulary first.",
            points=3,
        ),
        Mistake(
            "gathered",
            "What top-p cuts was found in sorted order, and `gather` (or an index) does not bring "
            "it back: it sorts once more. `scatter` puts each mark where its token came from.",
            points=3,
            alone=True,
        ),
        Mistake(
            "p_ascending",
            "Top-p adds up the *least* likely tokens first: the order is ascending where it should "
            "be descending.",
            points=3,
            alone=True,
        ),
        Mistake(
            "p_not_renormalised",
            "After top-p the rows sum to less than 1: what is cut gets 0, but the others are not "
            "enlarged. Cut logits before the softmax, or divide by the new sum.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sorted_by_p",
            "With top-p the probabilities come back sorted, and nobody knows which token they "
            "belong to. Bring them back into the order of the vocabulary.",
            points=3,
            alone=True,
        ),
        Mistake(
            "one_filter",
            "If both `top_k` and `top_p` are given, only top-k is done (`elif`). Top-p follows, on "
            "what top-k has left.",
            points=3,
            alone=True,
        ),
        Mistake(
            "threshold",
            "Each token's own probability was compared with p. Top-p compares the sum, of the "
            "token and of all that are more likely.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sorted_result",
            "The probabilities are right but sorted, and nobody knows which token they belong to. "
            "Bring them back into the order of the vocabulary.",
            lambda *arguments: _RIGHT_PROBABILITIES(*arguments).sort(-1, descending=True).values,
        ),
        Mistake(
            "logits_returned",
            "These are the filtered logits; the softmax at the end is missing.",
            _filtered_logits,
        ),
        Mistake(
            "logarithms",
            "These are logarithms of the probabilities (`log_softmax`).",
            lambda *arguments: _RIGHT_PROBABILITIES(*arguments).log(),
        ),
        Mistake(
            "smallest_kept",
            "The filters keep the *least* likely tokens: the order is ascending where it should be "
            "descending.",
            lambda logits, temperature=1.0, top_k=None, top_p=None: (
                (logits / (temperature or 1.0))
                .masked_fill(
                    _RIGHT_PROBABILITIES(-logits, temperature or 1.0, top_k, top_p) == 0, -math.inf
                )
                .softmax(-1)
            ),
        ),
        Mistake(
            "softmax_over_batch",
            "The softmax runs over the batch: each column sums to 1. It belongs to the vocabulary, "
            "`dim=-1`.",
            lambda logits, temperature=1.0, top_k=None, top_p=None: (
                (logits / (temperature or 1.0))
                .masked_fill(
                    _RIGHT_PROBABILITIES(logits, temperature or 1.0, top_k, top_p) == 0, -1e9
                )
                .softmax(0)
            ),
        ),
        Mistake(
            "always_greedy",
            "Every row is 1 at its largest logit: that is greedy, whatever the settings.",
            lambda logits, *rest: _RIGHT_PROBABILITIES(logits, 0.0),
            section="“Greedy” in chapter 8",
        ),
        Mistake(
            "first_row",
            "All rows keep the tokens of the first one. Each row has its own.",
            _first_row,
        ),
        Mistake(
            "detached",
            "The numbers are right, but no gradient comes back: `no_grad`, `detach` or a tensor "
            "made of Python numbers cuts them off.",
            lambda *arguments: _RIGHT_PROBABILITIES(*arguments).detach(),
        ),
        Mistake(
            "in_place",
            "The logits that were given are changed in place, by `/=` or by writing into them. "
            "Whoever calls the function needs them again: divide with `/`, cut with `masked_fill`.",
            _in_place_probabilities,
            versions=(_divided_in_place, _written_into),
        ),
        Mistake(
            "no_zero",
            "With temperature 0 the logits are divided by 0. As T falls to 0 the most likely token "
            "gets everything: give it 1.",
            _no_zero,
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "zero_is_one",
            "Temperature 0 is treated as if there were no temperature (in Python 0 counts as "
            "False). As T falls to 0 the most likely token gets everything: give it 1.",
            _zero_without_temperature,
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "zero_in_batch",
            "With temperature 0 only the largest logit of the whole batch gets 1. Each row has its "
            "own: `argmax(dim=-1)`.",
            _zero_in_batch,
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "nearly_zero",
            "With temperature 0 the logits are divided by a small number that is not small enough: "
            "where two are near, both get a share. Give 1 to the largest instead.",
            _nearly_zero(1e-3),
            versions=(_nearly_zero(1e-2), _nearly_zero(2e-3)),
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "zero_integers",
            "With temperature 0 the result is made of integers, as `one_hot` gives them. It must "
            "have the dtype of the logits.",
            _zero_integers,
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "zero_index",
            "With temperature 0 the id of the token comes back. Asked for are probabilities here, "
            "too: 1 at this token, 0 elsewhere.",
            _zero_index,
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "no_limit",
            "`topk` fails if k is larger than the vocabulary; take the smaller of the two.",
            _no_limit,
            points=3,
            any_error=True,
        ),
        Mistake(
            "limit_less",
            "Where k is larger than the vocabulary, one token is cut. Then all of them stay: the "
            "limit is the vocabulary's size, and no less.",
            points=3,
            alone=True,
        ),
        Mistake(
            "zero_softmax",
            "With temperature 0 a softmax follows after the most likely token got its 1, and gives "
            "the others a share again.",
            _zero_softmax,
            points=3,
            section=_TEMPERATURE,
        ),
        Mistake(
            "two_axes_only",
            "It works for two axes only. Count the vocabulary from the end (`dim=-1`, "
            "`[..., -1:]`) and any number of axes may stand before it.",
            _batch_axis,
            versions=(_last_softmax,),
            points=2,
            any_error=True,
        ),
    ),
)


# ---- Exercise 3: repaired_loss -------------------------------------------------------------------

_BUGS = {
    "wrong_way": "it is shifted the wrong way, so the logits at a token are judged by the token "
    "*before* it",
    "by_id": "what is padding is read off the id 0, but 0 also ends each text, and the end must be "
    "learned: read it off `attention_mask`",
    "reshaped": "`reshape` does not move the vocabulary to axis 1, it mixes the numbers: use "
    "`transpose(1, 2)`, or flatten batch and tokens",
    "divisor": "the sum is divided by all positions, those that do not count included",
}


def _loss(wrong: Flags = frozenset()) -> Callable:
    def repaired_loss(logits, input_ids, attention_mask):
        batch, _tokens, vocab = logits.shape
        real = attention_mask.bool()
        if "wrong_way" in wrong:
            scores, targets = logits[:, 1:], input_ids[:, :-1]
            asked, asking = real[:, :-1], real[:, 1:]
        elif "unshifted" in wrong:
            scores, targets, asked, asking = logits, input_ids, real, real
        else:
            step = 2 if "twice" in wrong else 1
            scores, targets = logits[:, :-step], input_ids[:, step:]
            asked, asking = real[:, step:], real[:, :-step]
        if "cut_at_end" in wrong:
            scores, targets = logits[:, :-1], input_ids[:, :-1]
        if "cut_in_front" in wrong:
            scores, targets = logits[:, 1:], input_ids[:, 1:]
        counts = asked & asking
        if "by_id" in wrong:
            counts = targets != 0
        if "asked_only" in wrong:
            counts = asked
        if "asking_only" in wrong:
            counts = asking
        if "either" in wrong:
            counts = asked | asking
        if "first_text" in wrong:
            counts = counts & ((input_ids == 0).cumsum(1)[:, : counts.size(1)] == 0)
        if "last_left_out" in wrong:
            counts = counts & F.pad(asked, (0, 1))[:, 1:]
        if "last_cut_off" in wrong:
            counts = counts & (torch.arange(counts.size(1)) < counts.size(1) - 1)
        if "first_left_out" in wrong:
            counts = counts & F.pad(asking, (1, 0))[:, :-1]
        if "first_cut_off" in wrong:
            counts = counts & (torch.arange(counts.size(1)) > 0)
        if "padding_counts" in wrong:
            counts = torch.ones_like(counts)
        if "ends_apart" in wrong:
            counts = counts & (input_ids[:, : counts.size(1)] != 0)
        if "lengths" in wrong:
            counts = torch.arange(1, counts.size(1) + 1) < real.sum(1, keepdim=True)
        right = scores.transpose(1, 2)  # [batch, vocab, tokens]
        scores = scores.reshape(batch, vocab, -1) if "reshaped" in wrong else right
        if "softmaxed" in wrong:
            scores = scores.softmax(1)
        if "no_softmax" in wrong:
            losses = F.nll_loss(scores, targets, reduction="none")
        else:
            losses = F.cross_entropy(scores, targets, reduction="none")
        if "end_ignored" in wrong:
            losses = losses * (targets != 0)
        losses = losses.masked_fill(~counts, 0.0)
        if "divisor" in wrong:
            return losses.mean()
        if "divisor_with_last" in wrong:
            return losses.sum() / real.numel()
        if "plus_one" in wrong:
            return losses.sum() / (counts.sum() + 1)
        if "divisor_by_id" in wrong:
            return losses.sum() / (targets != 0).sum().clamp(min=1)
        if "real_tokens" in wrong:
            return losses.sum() / real.sum().clamp(min=1)
        if "sequences" in wrong:
            return (losses.sum(1) / counts.sum(1).clamp(min=1)).mean()
        if "rows_summed" in wrong:
            return (losses.sum(1) / counts.sum(1).clamp(min=1)).sum()
        if "sequences_nan" in wrong:
            return (losses.sum(1) / counts.sum(1)).mean()
        if "sequences_that_count" in wrong:
            rows = counts.any(1)
            means = (losses.sum(1) / counts.sum(1).clamp(min=1))[rows]
            return means.sum() / rows.sum().clamp(min=1)
        if "batch_divisor" in wrong:
            return losses.sum() / batch
        if "asked_divisor" in wrong:
            return losses.sum() / asked.sum().clamp(min=1)
        if "summed" in wrong:
            return losses.sum()
        if "nan" in wrong:
            return losses.sum() / counts.sum()
        return losses.sum() / counts.sum().clamp(min=1)

    return repaired_loss


_RIGHT_LOSS = _loss()


def _loss_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", batch=None, left=False, lengths=None, **options):
        rows = batch or _integer(generator, 3, 4)
        tokens, vocab = _integer(generator, 6, 7), _integer(generator, 9, 11)
        ids = torch.randint(1, vocab, (rows, tokens), generator=generator)
        mask = torch.ones_like(ids)
        for row in range(rows):
            length = lengths[row] if lengths else tokens - (row * 2 + (batch == 1)) % (tokens - 2)
            own = slice(tokens - length, tokens) if left else slice(0, length)
            mask[row] = 0
            mask[row, own] = 1
            if length:
                ids[row, own.stop - 1] = 0  # the end of the text
            if length > 3:
                ids[row, own.stop - 3] = 0  # the end of another one before it
        ids = ids * mask  # padding is 0, too
        logits = _normal(generator, rows, tokens, vocab, size=1.8)
        arguments = (("logits", logits), ("input_ids", ids), ("attention_mask", mask))
        return Case(title, part, arguments, **options)

    return [
        case("texts of different lengths"),
        case("a batch of one", batch=1),
        case("gradients", gradient=True),
        case("padding on the left", "left", left=True),
        case("padding on the left, gradients", "left", left=True, gradient=True),
        case("a text of one token", "left", batch=3, lengths=[5, 1, 3]),
        case("nothing to predict", "left", batch=2, lengths=[1, 0]),
    ]


def _loop_loss(logits, input_ids, attention_mask):
    terms = []
    for b in range(len(input_ids)):
        for t in range(input_ids.size(1) - 1):
            if attention_mask[b, t] and attention_mask[b, t + 1]:
                terms.append(-logits[b, t].log_softmax(0)[input_ids[b, t + 1]])
    return sum(terms) / len(terms) if terms else logits.sum() * 0.0


def _ignored_loss(logits, input_ids, attention_mask):
    labels = input_ids.masked_fill(attention_mask == 0, -100)[:, 1:].clone()
    labels[attention_mask[:, :-1] == 0] = -100
    if not (labels != -100).any():
        return logits.new_zeros(())
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels.flatten())


def _selected_loss(logits, input_ids, attention_mask):
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    chosen, asked = logits[:, :-1][counts], input_ids[:, 1:][counts]
    if len(asked) == 0:
        return logits.sum() * 0
    return F.nll_loss(chosen.log_softmax(-1), asked)


def _gathered_loss(logits, input_ids, attention_mask):
    logp = (logits.double() - logits.double().logsumexp(-1, keepdim=True))[:, :-1]
    given = logp.gather(-1, input_ids[:, 1:, None]).squeeze(-1)
    weights = (attention_mask[:, 1:] * attention_mask[:, :-1]).double()
    return (-(given * weights).sum() / weights.sum().clamp(min=1.0)).to(logits.dtype)


def _rolled_loss(logits, input_ids, attention_mask):
    targets, asked = input_ids.roll(-1, 1), attention_mask.roll(-1, 1)
    losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    counts = attention_mask * asked
    return (losses * counts).sum() / counts.sum().clamp(min=1)


def _zeroed_logits_loss(divide_by_all: bool = True) -> Callable:
    def repaired_loss(logits, input_ids, attention_mask):
        counts = attention_mask[:, 1:] * attention_mask[:, :-1]
        scores = (logits[:, :-1] * counts[..., None]).transpose(1, 2)
        losses = F.cross_entropy(scores, input_ids[:, 1:], reduction="none")
        return losses.mean() if divide_by_all else losses.sum() / counts.sum().clamp(min=1)

    return repaired_loss


def _to_the_first_end(asked: bool) -> Callable:
    """What stands behind the first end that is no padding does not count, nor may this end."""

    def repaired_loss(logits, input_ids, attention_mask):
        ends = ((input_ids == 0) & (attention_mask != 0)).long()
        before = ends.cumsum(1) - ends if asked else ends.cumsum(1)
        return _RIGHT_LOSS(logits, input_ids, attention_mask * (before == 0))

    return repaired_loss


def _hidden_logits_loss(logits, input_ids, attention_mask, mean=False):
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).bool()
    scores = logits[:, :-1].masked_fill(~counts[..., None], -math.inf)
    losses = F.cross_entropy(scores.transpose(1, 2), input_ids[:, 1:], reduction="none")
    return losses.mean() if mean else (losses * counts).sum() / counts.sum().clamp(min=1)


def _shuffled_loss(logits, input_ids, attention_mask):
    """Axes are exchanged, as it should be, and then a reshape undoes it the wrong way."""
    vocab = logits.size(-1)
    counts = (attention_mask[:, 1:] * attention_mask[:, :-1]).flatten()
    scores = logits[:, :-1].transpose(1, 2).reshape(-1, vocab)
    losses = F.cross_entropy(scores, input_ids[:, 1:].flatten(), reduction="none")
    return (losses * counts).sum() / counts.sum().clamp(min=1)


def _plain_zero(logits, input_ids, attention_mask):
    counts = attention_mask[:, 1:] * attention_mask[:, :-1]
    return _RIGHT_LOSS(logits, input_ids, attention_mask) if counts.any() else 0.0


def _plain_integer_zero(logits, input_ids, attention_mask):
    return _plain_zero(logits, input_ids, attention_mask) or 0


def _left_over_mistakes() -> list[Mistake]:
    versions = {
        "reshaped": (_shuffled_loss,),
        "divisor": (_loss(frozenset({"divisor_with_last"})),),
    }
    mistakes = [
        Mistake(
            bug,
            f"One bug is still there: {reason}.",
            versions=versions.get(bug, ()),
            section=_SHIFT,
        )
        for bug, reason in _BUGS.items()
    ]
    for count, word in ((2, "Two bugs are"), (3, "Three bugs are"), (4, "All four bugs are")):
        for left in combinations(_BUGS, count):
            reasons = "; ".join(_BUGS[bug] for bug in left)
            broken = _loss(frozenset(left))
            mistakes.append(
                Mistake(
                    "_and_".join(left), f"{word} still there: {reasons}.", broken, section=_SHIFT
                )
            )
    return mistakes


REPAIRED_LOSS = Exercise(
    id="repaired_loss",
    title="Bug hunt: a loss that falls",
    signature="repaired_loss(logits, input_ids, attention_mask)",
    reference=_RIGHT_LOSS,
    cases=_loss_cases,
    parts=(
        Part("core", "all four bugs are gone", 2),
        Part("left", "padding on the left, and texts without a prediction", 1),
    ),
    minutes=15,
    difficulty=2,
    section=_COMMON,
    variant=_loss,
    alternatives={
        "loop": _loop_loss,
        "ignore_index": _ignored_loss,
        "selected by a mask": _selected_loss,
        "gathered, in float64": _gathered_loss,
    },
    mistakes=(
        *_left_over_mistakes(),
        Mistake(
            "unshifted",
            "Nothing is shifted: each token is asked for itself, which it can see. The logits at "
            "token t belong to token t + 1.",
            versions=(_loss(frozenset({"cut_at_end"})), _loss(frozenset({"cut_in_front"}))),
            section=_SHIFT,
            alone=True,
        ),
        Mistake(
            "twice",
            "It is shifted twice: the logits at token t are judged by token t + 2.",
            alone=True,
        ),
        Mistake(
            "padding_counts",
            "Every position counts, padding included.",
            alone=True,
        ),
        Mistake(
            "asked_only",
            "With padding on the left, the last padding token is asked for the first word: what "
            "counts must be real at *both* places, t and t + 1.",
            points=2,
        ),
        Mistake(
            "asking_only",
            "The last token of a text is asked for the padding after it: what counts must be real "
            "at *both* places, t and t + 1.",
        ),
        Mistake(
            "either",
            "A prediction counts as soon as one of its two tokens is real. Both must be, t and "
            "t + 1: join the two masks by `&`, or multiply them.",
            alone=True,
        ),
        Mistake(
            "first_text",
            "Only the first text of a row counts. A row may hold several, one after the other: "
            "only `attention_mask` says where the padding begins.",
            versions=(_to_the_first_end(True), _to_the_first_end(False)),
            alone=True,
        ),
        Mistake(
            "last_left_out",
            "The last prediction is left out, that of the end of a text. A text of n tokens has "
            "n − 1 predictions: only one place is lost by the shift.",
            versions=(_loss(frozenset({"last_cut_off"})),),
            alone=True,
        ),
        Mistake(
            "first_left_out",
            "The first prediction is left out, that of a text's second token. A text of n tokens "
            "has n − 1 predictions: only one place is lost by the shift.",
            versions=(_loss(frozenset({"first_cut_off"})),),
            alone=True,
        ),
        Mistake(
            "plus_one",
            "The sum is divided by the number of predictions plus 1. Against a division by 0, "
            "`clamp(min=1)` changes nothing where there are some.",
            alone=True,
        ),
        Mistake(
            "divisor_by_id",
            "The sum is divided by the number of targets that are not 0. But the ends of texts are "
            "targets that count: divide by the number of predictions that count.",
            alone=True,
        ),
        Mistake(
            "end_ignored",
            "The end of a text is not asked for: `ignore_index=0` still leaves out every target 0. "
            "The model must learn to end; `attention_mask` alone decides what counts.",
            section=_SHIFT,
            alone=True,
        ),
        Mistake(
            "ends_apart",
            "What follows an end within a row does not count. It should, like anything else: only "
            "padding is left out.",
            alone=True,
        ),
        Mistake(
            "lengths",
            "The number of real tokens is taken for the place where they stop. That fails if the "
            "padding stands on the left: look at each place's own entry of the mask.",
            points=2,
            alone=True,
        ),
        Mistake(
            "no_softmax",
            "`nll_loss` was given logits. It takes log-probabilities (`log_softmax`); "
            "`cross_entropy` does both.",
            section=_SHIFT,
            alone=True,
        ),
        Mistake(
            "softmaxed",
            "`cross_entropy` was given probabilities. It takes logits and does the softmax itself.",
            section=_SHIFT,
            alone=True,
        ),
        Mistake(
            "real_tokens",
            "The sum is divided by the number of real tokens. Divide by the number of predictions "
            "that count: a text of n tokens has n − 1.",
        ),
        Mistake(
            "batch_divisor",
            "The sum is divided by the number of rows. Divide by the number of predictions that "
            "count.",
            alone=True,
        ),
        Mistake(
            "asked_divisor",
            "The sum is divided by the number of real tokens that are asked for. With padding on "
            "the left the first one counts there, too, and nobody predicts it.",
            points=2,
            alone=True,
        ),
        Mistake(
            "sequences",
            "Each text was averaged by itself, and then the averages: a token of a short text "
            "weighs more than one of a long text. Divide the sum of all by the number of all.",
            versions=(
                _loss(frozenset({"sequences_nan"})),
                _loss(frozenset({"sequences_that_count"})),
            ),
        ),
        Mistake(
            "rows_summed",
            "Each text was averaged by itself, and the averages are added up. Divide the sum of "
            "all losses that count by their number.",
            alone=True,
        ),
        Mistake(
            "summed",
            "This is the sum over all predictions that count; divide by their number.",
            alone=True,
        ),
        Mistake(
            "nan",
            "Where nothing is to be predicted it gives NaN: 0 divided by 0. The loss is 0 there.",
            points=2,
        ),
        Mistake(
            "plain_zero",
            "Where nothing is to be predicted a plain Python number comes back. The loss is a "
            "tensor there, too, so that `backward` works: `logits.sum() * 0`, or `clamp(min=1)`.",
            _plain_zero,
            versions=(_plain_integer_zero,),
            points=2,
        ),
        Mistake(
            "rolled",
            "`roll` brings the first token to the end, and where a text fills its row its last "
            "token is asked for the first one. Cut off the last logits.",
            _rolled_loss,
        ),
        Mistake(
            "zeroed_logits",
            "The logits that do not count are made all equal, 0 or another number, but their loss "
            "is still counted: log of the vocabulary size each. Leave out their losses.",
            _zeroed_logits_loss(),
            versions=(_zeroed_logits_loss(divide_by_all=False),),
        ),
        Mistake(
            "hidden_logits",
            "The logits that do not count are set to −∞. A softmax of −∞ alone is NaN, and so is "
            "the loss. Leave out their losses instead.",
            _hidden_logits_loss,
            versions=(lambda *arguments: _hidden_logits_loss(*arguments, mean=True),),
        ),
        Mistake(
            "perplexity",
            "This is e to the power of the loss, the perplexity.",
            lambda *arguments: _RIGHT_LOSS(*arguments).exp(),
            section=_SHIFT,
        ),
        Mistake(
            "negative",
            "The sign is wrong: this is the mean log-probability, and the loss is minus that.",
            lambda *arguments: -_RIGHT_LOSS(*arguments),
            section=_SHIFT,
        ),
        Mistake(
            "detached",
            "The numbers are right, but they are cut off from autograd (`.item()`, `detach`), so "
            "nothing could be learned.",
            lambda *arguments: _RIGHT_LOSS(*arguments).detach(),
            versions=(lambda *arguments: _RIGHT_LOSS(*arguments).item(),),
        ),
        Mistake(
            "ids_changed",
            "The result is right, but `input_ids` is changed on the way: make a copy before "
            "writing −100 into it.",
            lambda logits, ids, mask: (
                _RIGHT_LOSS(logits, ids.clone(), mask),
                ids.masked_fill_(mask == 0, -100),
            )[0],
        ),
    ),
)


# ---- Exercise 4: CachedAttention -----------------------------------------------------------------


_OTHER_THIRDS = {  # what stands where: values before keys, and so on
    "query_value_key": [0, 2, 1],
    "value_query_key": [1, 2, 0],
    "key_value_query": [2, 0, 1],
    "value_key_query": [2, 1, 0],
}


def _cached_attention(wrong: Flags = frozenset()) -> type:
    class CachedAttention(nn.Module):
        def __init__(self, hidden_size, num_heads, max_positions):
            super().__init__()
            self.positions = nn.Embedding(max_positions, hidden_size)
            self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
            self.output = nn.Linear(hidden_size, hidden_size)
            self.num_heads = num_heads
            self.counted = 0

        def forward(self, x, cache=None):
            batch, new, hidden = x.shape
            if "cache_unused" in wrong:
                cache = None
            seen = tokens = 0 if cache is None else cache[0].size(2)
            for axis in (0, 1, 3):
                if f"seen_at_{axis}" in wrong and cache is not None:
                    seen = cache[0].size(axis)
            if "counter" in wrong or "counter_reset" in wrong:
                if "counter_reset" in wrong and cache is None:
                    self.counted = 0
                seen = self.counted
                self.counted += new
            first = 0 if "restart" in wrong else seen
            first += ("late" in wrong and seen > 0) - ("early" in wrong and seen > 0)
            first += "from_one" in wrong or ("one_at_first" in wrong and cache is None)
            plain, places = x, self.positions.weight[first : first + new]
            if "one_position" in wrong:
                places = places[:1]
            if "last_position" in wrong:
                places = places[-1:]
            if "no_positions" not in wrong and not ("position_once" in wrong and seen):
                x = x - places if "positions_subtracted" in wrong else x + places
            packed = self.query_key_value(x).unflatten(-1, (3, self.num_heads, -1))
            if "plain_thirds" in wrong:
                without = self.query_key_value(plain).unflatten(-1, (3, self.num_heads, -1))
                some = [n for n in range(3) if f"third_{n}" in wrong] or [2]
                packed = packed.index_copy(2, torch.tensor(some), without[:, :, some])
            if "not_split" in wrong:
                parts = self.query_key_value(x).chunk(3, -1)
                parts = [p.reshape(batch, self.num_heads, new, -1).transpose(1, 2) for p in parts]
                packed = torch.stack(parts, 2)
            if "per_head" in wrong:
                packed = self.query_key_value(x).unflatten(-1, (self.num_heads, 3, -1))
                packed = packed.transpose(2, 3)
            if {"interleaved", "interleaved_split"} & wrong:
                packed = self.query_key_value(x).unflatten(-1, (3, -1, self.num_heads))
                packed = packed.transpose(3, 4)
            for name, order in _OTHER_THIRDS.items():
                if name in wrong:
                    packed = packed[:, :, order]
            query, key, value = packed.permute(2, 0, 3, 1, 4)  # [batch, heads, new, head_size]
            if "key_first" in wrong:
                query, key = key, query
            own = (key, value)
            if "not_joined" in wrong:
                cache = None
            if cache is not None:
                axis = 1 if "wrong_axis" in wrong else 2
                axis = next((n for n in (0, 3) if f"joined_at_{n}" in wrong), axis)
                old_key, old_value = reversed(cache) if "read_exchanged" in wrong else cache
                old_key = cache[1] if "value_twice" in wrong else old_key
                old_value = cache[0] if "key_twice" in wrong else old_value
                sides = (key, old_key) if "in_front" in wrong else (old_key, key)
                key = key if "keys_alone" in wrong else torch.cat(sides, dim=axis)
                sides = (value, old_value) if "in_front" in wrong else (old_value, value)
                value = value if "values_alone" in wrong else torch.cat(sides, dim=axis)
            keys = key.size(2)

            def finished(mixed):
                merged = mixed.reshape if "not_merged" in wrong else mixed.transpose(1, 2).reshape
                if "interleaved" in wrong:
                    merged = mixed.permute(0, 2, 3, 1).reshape
                result = mixed.flatten(2) if "flattened" in wrong else merged(batch, new, hidden)
                result = result if "no_output" in wrong else self.output(result)
                if "residual" in wrong:
                    result = result + x
                if "plain_residual" in wrong:
                    result = result + plain
                if "old_returned" in wrong and cache is not None:
                    return result, cache
                if "returned_exchanged" in wrong:
                    return result, (value, key)
                return result, own if "overwritten" in wrong else (key, value)

            scores = query @ key.transpose(-2, -1)
            if not {"no_scale", "scale_after"} & wrong:
                width = hidden if "scale_hidden" in wrong else query.size(-1)
                width = self.num_heads if "scale_heads" in wrong else width
                width = width**2 if "no_root" in wrong else width
                scores = scores / math.sqrt(width)
            upper_left = "upper_left" in wrong or ("causal_flag" in wrong and new > 1)
            diagonal = 0 if upper_left else keys - new
            diagonal += ("ahead" in wrong) - ("not_itself" in wrong)
            columns = keys
            if "mask_by_seen" in wrong:
                diagonal = seen
            if "mask_all_by_seen" in wrong:
                diagonal, columns = seen, seen + new
            allowed = torch.ones(new, columns, dtype=torch.bool).tril(diagonal)
            if "future" in wrong:
                allowed = torch.ones(new, keys, dtype=torch.bool).triu(diagonal)
            if "cached_hidden" in wrong:
                allowed = allowed.triu(0) & (torch.arange(keys) >= tokens)
            if "no_mask" in wrong or ("mask_without_cache" in wrong and cache is not None):
                allowed = torch.ones_like(allowed)
            if "inverted" in wrong:
                allowed = ~allowed
            if "fused" in wrong:
                return finished(F.scaled_dot_product_attention(query, key, value, allowed))
            scores = scores.masked_fill(~allowed, 0.0 if "zero_fill" in wrong else -math.inf)
            weights = scores.softmax(-2 if "query_axis" in wrong else -1)
            weights = scores.softmax(1) if "head_axis" in wrong else weights
            if "scale_after" in wrong:
                weights = weights / math.sqrt(query.size(-1))
            if "masked_after" in wrong:
                free = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
                weights = free.softmax(-1) * allowed
            return finished(weights @ value)

    return CachedAttention


_RIGHT_CACHED = _cached_attention()


def _each_mask(*wrong: str) -> tuple[type, ...]:
    """The same mistakes with masks whose sizes come from elsewhere.

    None of them calls PyTorch's fused attention: given keys and values of different lengths it
    reads beyond the end of memory, and this process is the grader's.
    """
    masks = ((), ("mask_by_seen",), ("mask_all_by_seen",))
    return tuple(_cached_attention(frozenset({one, *mask})) for one, mask in product(wrong, masks))


def _cached_cases(generator: torch.Generator) -> list[Case]:
    def weights(hidden, places):
        normal = lambda *shape, size: _normal(generator, *shape, size=size)  # noqa: E731
        return {
            "positions.weight": normal(places, hidden, size=0.8),
            "query_key_value.weight": normal(3 * hidden, hidden, size=1.1 / hidden**0.5),
            "query_key_value.bias": normal(3 * hidden, size=0.7),
            "output.weight": normal(hidden, hidden, size=1.2 / hidden**0.5),
            "output.bias": normal(hidden, size=0.7),
        }

    def case(title, part, driver, *rest, batch=2, tokens=(7,), small=False):
        heads, head_size = ((2, 3), (3, 2), (2, 4))[_integer(generator, 0, 2)]
        if small:
            heads, head_size = 2, 3
        hidden, places = heads * head_size, 6 if small else 9
        batch = batch if batch == 1 else 5 - heads  # never the number of heads
        texts = [
            (name, _normal(generator, batch, length, hidden, size=0.9))
            for name, length in zip(("x", "one", "other"), tokens, strict=False)
        ]
        arguments = [("init", [hidden, heads, places]), ("state", weights(hidden, places))]
        return Case(title, part, (*arguments, *texts, *rest), driver=driver)

    def pieces(*sizes):
        return ("pieces", list(sizes))

    several = drivers.read_in_pieces
    first = _integer(generator, 2, 3)
    return [
        case("the whole text at once", "core", several, pieces(7)),
        case("a batch of one, a text of one", "core", several, pieces(1), batch=1, tokens=(1,)),
        case("a prompt, then token by token", "core", several, pieces(first, *[1] * (7 - first))),
        case("token by token from the beginning", "core", several, pieces(1, 1, 1, 1), tokens=(4,)),
        case("pieces of several tokens", "pieces", several, pieces(first, 2, 5 - first)),
        case("one token, then a long piece", "pieces", several, pieces(1, 6)),
        case("pieces, a batch of one", "pieces", several, pieces(4, 3), batch=1),
        case("the cache itself", "kept", drivers.cache_after, pieces(2, 3), tokens=(5,)),
        case("one prompt, two continuations", "kept", drivers.continue_twice, tokens=(3, 1, 1)),
        case("a second text without a cache", "kept", drivers.read_and_forget, tokens=(3, 4)),
        case(
            "gradients", "kept", drivers.train_in_pieces, pieces(3, 1, 1), tokens=(5,), small=True
        ),
    ]


class _ByLibrary(nn.Module):
    """PyTorch's fused attention with an explicit mask; a dictionary would do as well."""

    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.heads = num_heads

    def forward(self, x, cache=None):
        seen = cache[0].shape[2] if cache else 0
        x = x + self.positions(torch.arange(seen, seen + x.shape[1]))
        heads = [
            part.reshape(*part.shape[:2], self.heads, -1).transpose(1, 2)
            for part in self.query_key_value(x).chunk(3, dim=-1)
        ]
        if cache:
            heads[1:] = [torch.cat(pair, dim=-2) for pair in zip(cache, heads[1:], strict=True)]
        query, key, value = heads
        place = torch.arange(seen, seen + x.shape[1])[:, None]
        allowed = place >= torch.arange(key.shape[2])
        mixed = F.scaled_dot_product_attention(query, key, value, allowed)
        return self.output(mixed.transpose(1, 2).flatten(2)), (key, value)


class _ByLoops(nn.Module):
    """Heads and queries one after the other; each query attends to a slice, without a mask."""

    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__()
        self.positions = nn.Embedding(max_positions, hidden_size)
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.output = nn.Linear(hidden_size, hidden_size)
        self.num_heads, self.head_size = num_heads, hidden_size // num_heads

    def forward(self, x, cache=None):
        seen = 0 if cache is None else cache[0].size(-2)
        rows, keys, values = [], [], []
        for t in range(x.size(1)):
            token = self.query_key_value(x[:, t] + self.positions.weight[seen + t])
            query, key, value = token.view(len(x), 3, self.num_heads, -1).unbind(1)
            rows.append(query), keys.append(key), values.append(value)
        key, value = torch.stack(keys, 2), torch.stack(values, 2)
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        outputs = []
        for t, query in enumerate(rows):
            until = seen + t + 1
            scores = torch.einsum("bhd,bhkd->bhk", query, key[:, :, :until]) / self.head_size**0.5
            mixed = torch.einsum("bhk,bhkd->bhd", scores.softmax(-1), value[:, :, :until])
            outputs.append(self.output(mixed.flatten(1)))
        return torch.stack(outputs, 1), [key, value]


class _InDoubles(_RIGHT_CACHED):
    """The same in float64, the future hidden by adding −∞."""

    def forward(self, x, cache=None):
        seen = 0 if cache is None else cache[0].size(2)
        at = torch.arange(x.size(1)) + seen
        x = (x + self.positions(at)).double()
        weight, bias = self.query_key_value.weight.double(), self.query_key_value.bias.double()
        query, key, value = (
            torch.stack(F.linear(x, weight, bias).chunk(3, -1))
            .unflatten(-1, (self.num_heads, -1))
            .transpose(2, 3)
        )
        if cache is not None:
            key = torch.cat([cache[0].double(), key], 2)
            value = torch.cat([cache[1].double(), value], 2)
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
        hidden = torch.full(scores.shape[-2:], -math.inf).triu(seen + 1)
        mixed = ((scores + hidden).softmax(-1) @ value).permute(0, 2, 1, 3).flatten(2)
        return self.output(mixed.float()), (key.float(), value.float())


class _InItself(_RIGHT_CACHED):
    """Keeps the cache in the module, whatever it is given."""

    kept = None

    def forward(self, x, cache=None):
        output, self.kept = super().forward(x, self.kept)
        return output, self.kept


class _ContinuesItself(_RIGHT_CACHED):
    """Goes on with what it kept itself, if it is given any cache."""

    kept = None

    def forward(self, x, cache=None):
        output, self.kept = super().forward(x, None if cache is None else self.kept)
        return output, self.kept


class _OneHead(_RIGHT_CACHED):
    """Attends with one head, and keeps the cache as asked for."""

    def forward(self, x, cache=None):
        heads, self.num_heads = self.num_heads, 1
        one = None if cache is None else tuple(p.transpose(1, 2).flatten(2)[:, None] for p in cache)
        output, both = super().forward(x, one)
        self.num_heads = heads
        both = tuple(p[:, 0].unflatten(-1, (heads, -1)).transpose(1, 2) for p in both)
        return output, both


class _OneHeadInCache(_RIGHT_CACHED):
    def __init__(self, hidden_size, num_heads, max_positions):
        super().__init__(hidden_size, 1, max_positions)


class _NoneRead(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        return super().forward(x, (cache[0], cache[1]))


class _SharedList(_RIGHT_CACHED):
    """The cache is a list which each call changes."""

    def forward(self, x, cache=None):
        output, both = super().forward(x, cache)
        if cache is None:
            return output, list(both)
        cache[:] = both
        return output, cache


class _TokensFirst(_RIGHT_CACHED):
    """The cache is kept as [batch, tokens, heads, head_size]."""

    def forward(self, x, cache=None):
        turned = None if cache is None else tuple(part.transpose(1, 2) for part in cache)
        output, both = super().forward(x, turned)
        return output, tuple(part.transpose(1, 2) for part in both)


class _ValueFirst(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        output, (key, value) = super().forward(x, None if cache is None else cache[::-1])
        return output, (value, key)


class _NoGradient(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        output, both = super().forward(x, cache)
        return output.detach(), both


class _WithoutGradient(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        with torch.no_grad():
            return super().forward(x, cache)


class _DetachedCache(_RIGHT_CACHED):
    def forward(self, x, cache=None):
        output, both = super().forward(x, cache)
        return output, tuple(part.detach() for part in both)


class _InputsCached(_RIGHT_CACHED):
    """Keeps the inputs and computes keys and values of all tokens anew."""

    def forward(self, x, cache=None):
        text = x if cache is None else torch.cat([cache[0], x], 1)
        return super().forward(text)[0][:, -x.size(1) :], (text, text)


class _HeadsTogether(_RIGHT_CACHED):
    """The cache is kept as [batch, tokens, hidden]."""

    def forward(self, x, cache=None):
        split = [part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in cache or ()]
        output, both = super().forward(x, split or None)
        return output, tuple(part.transpose(1, 2).flatten(2) for part in both)


CACHED_ATTENTION = Exercise(
    id="CachedAttention",
    title="A layer that remembers",
    signature="class CachedAttention(hidden_size, num_heads, max_positions)",
    reference=_RIGHT_CACHED,
    cases=_cached_cases,
    parts=(
        Part("core", "the whole text, and token by token", 2),
        Part("pieces", "pieces of any size", 1),
        Part("kept", "the cache belongs to the caller; gradients", 1),
    ),
    minutes=25,
    difficulty=3,
    section=_CACHE,
    variant=_cached_attention,
    alternatives={
        "fused": _ByLibrary,
        "loops": _ByLoops,
        "float64": _InDoubles,
    },
    mistakes=(
        Mistake(
            "restart",
            "The positions start at 0 again in each call: a token that comes after a cache is "
            "numbered on from what the cache holds.",
            section=_POSITIONS,
        ),
        Mistake(
            "early",
            "After a cache the positions start one too early: with n tokens in the cache the next "
            "one has position n.",
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "from_one",
            "The positions are counted from 1. Row 0 of `positions.weight` belongs to the text's "
            "first token.",
            versions=(_cached_attention(frozenset({"one_at_first"})),),
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "one_position",
            "All tokens of a piece get the same position vector. Each has its own, one row after "
            "the other.",
            versions=(_cached_attention(frozenset({"last_position"})),),
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "position_once",
            "After a cache no position vectors are added. Every token of the text gets one.",
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "plain_thirds",
            "Not all of queries, keys and values are made of `x` *with* the position vectors. They "
            "are added before anything else, so all three hold them.",
            versions=tuple(
                _cached_attention(frozenset({"plain_thirds", *(f"third_{n}" for n in some)}))
                for some in ((0,), (1,), (0, 1), (0, 2), (1, 2))
            ),
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "counter",
            "The module counts for itself how many tokens it has read. The number stands in the "
            "cache that is given, `cache[0].size(2)`, and without one it is 0.",
            points=3,
            versions=(
                _cached_attention(frozenset({"counter", "mask_by_seen"})),
                _cached_attention(frozenset({"counter_reset"})),
                _cached_attention(frozenset({"counter_reset", "mask_by_seen"})),
            ),
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "late",
            "After a cache the positions start one too late: with n tokens in the cache the next "
            "one has position n.",
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "no_positions",
            "The position vectors are not added.",
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "cache_unused",
            "The cache that is given is not used: each piece is read as if it were the first.",
            alone=True,
        ),
        Mistake(
            "overwritten",
            "The cache that is returned holds the new keys and values only: from the third call "
            "on, the older tokens are forgotten.",
        ),
        Mistake(
            "in_front",
            "New keys and values are put in front of the cached ones; the mask then belongs to "
            "other tokens. Append them: `torch.cat([old, new], dim=2)`.",
            points=2,
            alone=True,
        ),
        Mistake(
            "upper_left",
            "With a cache the triangle starts in the upper left corner, so that new tokens see "
            "only the oldest ones. Its diagonal must end in the lower right: "
            "`tril(keys − queries)`.",
            section=_RECTANGLE,
        ),
        Mistake(
            "not_itself",
            "A token is hidden from itself: the diagonal lies one place too far to the left, and "
            "the first token of a text sees nothing.",
            versions=(_cached_attention(frozenset({"not_itself", "fused"})),),
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "future",
            "The triangle is transposed (`triu`): tokens see what follows, and nothing before.",
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "cached_hidden",
            "The mask hides all keys of the cache. New tokens see all of them, and among "
            "themselves no future.",
            section=_RECTANGLE,
            alone=True,
        ),
        Mistake("no_mask", "There is no causal mask: tokens see what follows.", section=_CAUSAL),
        Mistake(
            "mask_without_cache",
            "With a cache there is no mask. That is right for one new token; the tokens of a "
            "longer piece see each other's future.",
            points=3,
            section=_RECTANGLE,
        ),
        Mistake(
            "ahead",
            "Each token sees the one after it: the diagonal lies one place too far to the right.",
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "per_head",
            "The packed rows are taken as query, key and value of head 0, then of head 1, … Here "
            "all queries come first, then all keys, then all values.",
        ),
        Mistake("key_first", "Query and key are exchanged: the first third are the queries."),
        Mistake(
            "thirds",
            "The thirds of `query_key_value` are taken in another order. First come all queries, "
            "then all keys, then all values.",
            _cached_attention(frozenset({"query_value_key"})),
            versions=tuple(_cached_attention(frozenset({order})) for order in _OTHER_THIRDS),
        ),
        Mistake(
            "interleaved",
            "The numbers of the heads are interleaved. Head after head means "
            "`(num_heads, head_size)` when the last axis is split.",
            versions=(_cached_attention(frozenset({"interleaved_split"})),),
            alone=True,
        ),
        Mistake(
            "not_merged",
            "The heads are not brought back beside each other: exchange heads and tokens before "
            "the `reshape`.",
            versions=(_cached_attention(frozenset({"flattened"})),),
        ),
        Mistake(
            "no_scale",
            "The scores are not divided by the root of the head's size.",
            alone=True,
        ),
        Mistake(
            "no_root",
            "The scores are divided by the head's size, or twice by its root. Divide once, by the "
            "root.",
            alone=True,
        ),
        Mistake(
            "scale_after",
            "The root of the head's size divides what comes after the softmax. It divides the "
            "scores, before it.",
            alone=True,
        ),
        Mistake(
            "positions_subtracted",
            "The position vectors are subtracted. They are added.",
            section=_POSITIONS,
            alone=True,
        ),
        Mistake(
            "scale_heads",
            "The scores are divided by the root of the number of heads. It is the root of the "
            "head's size, hidden_size / num_heads.",
            alone=True,
        ),
        Mistake(
            "scale_hidden",
            "The scores are divided by the root of the hidden size; each head has only "
            "hidden_size / num_heads numbers.",
            alone=True,
        ),
        Mistake(
            "no_output",
            "The map `output` at the end is not applied.",
            alone=True,
        ),
        Mistake(
            "residual",
            "The input is added to the output, as around a layer. Here the output of the map "
            "`output` is all that comes back.",
            versions=(_cached_attention(frozenset({"plain_residual"})),),
            alone=True,
        ),
        Mistake(
            "one_head",
            "There is one head over the whole width. Split queries, keys and values into "
            "`num_heads` heads, each with its own scores.",
            _OneHead,
            versions=(_OneHeadInCache,),
        ),
        Mistake(
            "none_cached",
            "Without a cache, `cache` is None, which has no parts: ask whether `cache is None` "
            "first.",
            _NoneRead,
        ),
        Mistake(
            "not_split",
            "The heads are cut out by a `view` or `reshape` to `[batch, heads, …]` alone, which "
            "mixes tokens and heads. Split the last axis, then exchange heads and tokens.",
            alone=True,
        ),
        Mistake(
            "heads_counted",
            "The number of tokens in the cache is read off the wrong axis. Its parts are "
            "`[batch, heads, tokens, head_size]`, so the tokens are `size(2)`.",
            _cached_attention(frozenset({"seen_at_1", "mask_all_by_seen"})),
            versions=_each_mask("seen_at_1", "seen_at_3", "seen_at_0"),
        ),
        Mistake(
            "not_joined",
            "The positions go on, but new tokens see no cached keys and values: join old and new "
            "ones along the tokens.",
            alone=True,
        ),
        Mistake(
            "causal_flag",
            "Pieces of several tokens after a cache see only the oldest keys: `is_causal=True` (or "
            "`tril()`) starts in the upper left corner. The diagonal must end in the lower right.",
            points=3,
            section=_RECTANGLE,
            alone=True,
        ),
        Mistake(
            "inverted",
            "The mask is inverted: what may be seen is hidden. `masked_fill` fills where the mask "
            "is True, so it needs what is *not* allowed; `scaled_dot_product_attention` needs what "
            "is.",
            versions=(_cached_attention(frozenset({"inverted", "fused"})),),
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "zero_fill",
            "Hidden scores are set to 0, and e⁰ = 1: hidden tokens still get weight. Set them to "
            "−∞.",
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "masked_after",
            "The mask comes after the softmax, so the weights that are left do not sum to 1. Hide "
            "the scores before it.",
            section=_CAUSAL,
            alone=True,
        ),
        Mistake(
            "query_axis",
            "The softmax runs along another axis than the keys. For each query the weights of its "
            "*keys* sum to 1: `dim=-1`.",
            versions=(_cached_attention(frozenset({"head_axis"})),),
            alone=True,
        ),
        Mistake(
            "wrong_axis",
            "Old and new keys are joined along the wrong axis. They are "
            "`[batch, heads, tokens, head_size]`, and the tokens grow: `torch.cat(…, dim=2)`.",
            versions=_each_mask("wrong_axis", "joined_at_0", "joined_at_3"),
            alone=True,
        ),
        Mistake(
            "exchanged",
            "Keys and values change places on the way through the cache: it is read or returned as "
            "`(value, key)`. It is `(key, value)` on both ways.",
            _cached_attention(frozenset({"returned_exchanged"})),
            versions=(_cached_attention(frozenset({"read_exchanged"})),),
        ),
        Mistake(
            "same_part",
            "New keys and new values are joined with the same part of the cache. Keys stand in "
            "`cache[0]`, values in `cache[1]`.",
            _cached_attention(frozenset({"key_twice"})),
            versions=(_cached_attention(frozenset({"value_twice"})),),
        ),
        Mistake(
            "values_alone",
            "Only the keys, or only the values, are joined with those of the cache. Each query's "
            "weights are for all tokens so far, so both must hold all.",
            versions=_each_mask("values_alone", "keys_alone"),
            alone=True,
        ),
        Mistake(
            "old_returned",
            "With a cache the same cache comes back, without the new tokens. Return keys and "
            "values of all tokens so far.",
            alone=True,
        ),
        Mistake(
            "continues_itself",
            "With a cache the module goes on with keys and values that it has kept itself, not "
            "with what it is given: then one prompt cannot be continued twice.",
            _ContinuesItself,
            points=3,
        ),
        Mistake(
            "in_itself",
            "The module keeps a cache of its own and goes on with it, whatever it is given. A new "
            "text then sees the old one. Use what is given, return what it became.",
            _InItself,
            points=3,
        ),
        Mistake(
            "shared_list",
            "The cache that was given is changed. Then one prompt cannot be continued twice: join "
            "old and new into *new* tensors, in a new tuple.",
            _SharedList,
            points=3,
        ),
        Mistake(
            "tokens_first",
            "The cache has another layout: it must be `[batch, heads, tokens, head_size]`.",
            _TokensFirst,
            points=3,
        ),
        Mistake(
            "value_first",
            "The cache holds `(value, key)`; asked for is `(key, value)`.",
            _ValueFirst,
            points=3,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but no gradient comes back: `detach` or `no_grad` cuts the "
            "output off.",
            _NoGradient,
            points=3,
            same_results=(_WithoutGradient,),
        ),
        Mistake(
            "detached_cache",
            "The outputs are right, but keys and values are cut off from autograd (`detach`) when "
            "they go into the cache: later tokens teach nothing to what earlier ones were read "
            "with.",
            _DetachedCache,
            points=3,
        ),
        Mistake(
            "inputs_cached",
            "The cache holds the inputs, and keys and values of all tokens are computed anew in "
            "each call. Keep the keys and values themselves, split into heads.",
            _InputsCached,
            points=3,
        ),
        Mistake(
            "heads_together",
            "The cache holds keys and values of all heads beside each other; asked for are heads "
            "apart, `[batch, heads, tokens, head_size]`.",
            _HeadsTogether,
            points=3,
        ),
    ),
)


# ---- Exercise 5: beam_search ---------------------------------------------------------------------


def _beams(wrong: Flags = frozenset()) -> Callable:
    def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
        if "eos_ignored" in wrong or ("zero_is_none" in wrong and eos_token == 0):
            eos_token = None

        def ended(tokens):
            return tokens[-1:] == [eos_token]

        def rank(tokens, score):
            size = len(tokens)
            if "length_without_eos" in wrong:
                size = max(1, size - ended(tokens))
            if "max_tokens_as_length" in wrong:
                size = max_tokens
            if "length_plus_one" in wrong:
                size += 1
            if "length_less_one" in wrong:
                size = max(1, size - 1)
            if "six_sixths" in wrong:
                size = (5 + size) / 6
            if "times_length" in wrong and length_penalty:
                return score / (size * length_penalty)
            if "times_zero" in wrong:
                return score / (size * length_penalty)
            if "added" in wrong:
                return score + length_penalty * size
            if "subtracted" in wrong:
                return score - length_penalty * size
            if "mean_if_penalty" in wrong and length_penalty:
                return score / size
            return score / size ** (1.0 if "always_mean" in wrong else length_penalty)

        steps = max_tokens - ("one_less" in wrong) + ("one_step_more" in wrong)
        width = 1 if "greedy" in wrong else num_beams + ("one_beam_more" in wrong)
        width -= "one_beam_less" in wrong
        beams, finished = [([], 1.0 if "log_multiplied" in wrong else 0.0)], []
        for step in range(steps):
            candidates, groups = [], []
            for tokens, score in beams:
                if ended(tokens):
                    again = [eos_token] if "eos_repeated" in wrong else []
                    if "eos_paid" in wrong:
                        score += next_log_probs(tokens).tolist()[eos_token]
                    candidates.append((tokens + again, score))
                    continue
                known = tokens[-1:] if "short_memory" in wrong else tokens
                logp = next_log_probs(known)
                logp = logp.exp() if "probabilities_added" in wrong else logp
                sums = score * logp if "log_multiplied" in wrong else score + logp.double()
                sums = logp if "last_only" in wrong else sums
                group = [([*tokens, token], total) for token, total in enumerate(sums.tolist())]
                if "same_list" in wrong:
                    tokens += range(len(group))
                    group = [(tokens, more) for _, more in group]
                groups.append(group)
                candidates += group
            normalised = "penalty_on_the_way" in wrong
            candidates.sort(key=lambda c: -(rank(*c) if normalised else c[1]))
            if "ascending" in wrong:
                candidates.reverse()
            if "on_its_own" in wrong and step:
                candidates = [max(group, key=lambda c: c[1]) for group in groups]
                candidates += [beam for beam in beams if ended(beam[0])]
            if "own_places" in wrong:  # those that ended do not take a place
                finished += [c for c in candidates[: 2 * width] if ended(c[0])]
                candidates = [c for c in candidates if not ended(c[0])]
            beams = candidates if "exhaustive" in wrong else candidates[:width]
            if {"first_end", "ended_taken"} & wrong and any(ended(tokens) for tokens, _ in beams):
                if "ended_taken" in wrong:
                    beams = [beam for beam in beams if ended(beam[0])]
                break
            if "best_ended" in wrong and ended(beams[0][0]):
                break
            if "ended_lost" in wrong and step + 1 < steps:
                beams = [beam for beam in beams if not ended(beam[0])] or beams
            if all(ended(tokens) for tokens, _ in beams):
                break
        beams = beams + finished
        if "ended_first" in wrong:
            beams = [beam for beam in beams if ended(beam[0])] or beams
        sign = -1 if "worst" in wrong else 1
        choose = (lambda t, s: s) if "penalty_unused" in wrong else rank
        if "penalty_multiplied" in wrong:
            choose = lambda t, s: s * len(t) ** length_penalty  # noqa: E731
        if "last_returned" in wrong:
            tokens, score = min(beams, key=lambda beam: beam[1])
        elif "chosen_by_sum" in wrong:
            tokens, score = max(beams, key=lambda beam: beam[1])
        else:
            tokens, score = max(beams, key=lambda beam: sign * choose(*beam))
        score = score if "sum_returned" in wrong else choose(tokens, score)
        if "eos_cut" in wrong and ended(tokens):
            tokens = tokens[:-1]
        return tokens, score

    return beam_search


_RIGHT_BEAMS = _beams()
_EOS_PAID = _beams(frozenset({"eos_repeated", "eos_paid"}))


def _set_aside(rule: str, enough: bool = False) -> Callable:
    """Texts that have ended leave the beams; ``enough`` of them end the search."""

    def beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
        running, finished = [([], 0.0)], []
        for _ in range(max_tokens):
            candidates = [
                ([*tokens, token], score + more)
                for tokens, score in running
                for token, more in enumerate(next_log_probs(tokens).tolist())
            ]
            candidates.sort(key=lambda c: -c[1])
            running = [c for c in candidates if c[0][-1] != eos_token][:num_beams]
            first = candidates[: num_beams - len(finished) * (rule == "kept for good")]
            if rule in ("not filled up", "kept for good"):
                running = [c for c in first if c in running]
            if rule == "all that end":
                first = candidates
            if rule == "until full" and len(running) == num_beams:
                first = candidates[: candidates.index(running[-1])]
            finished += [c for c in first if c[0][-1] == eos_token]
            if not running or (enough and len(finished) >= num_beams):
                break
        best = max(finished + running, key=lambda c: c[1] / len(c[0]) ** length_penalty)
        return best[0], best[1] / len(best[0]) ** length_penalty

    return beam_search


_ASIDE = tuple(
    _set_aside(rule, enough)
    for rule in ("not filled up", "filled up", "until full", "all that end")
    for enough in (False, True)
)
_KEPT_FOR_GOOD = _set_aside("kept for good")


def _never_cut(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """Each beam goes on with its best continuations, and all of them stay."""
    beams = [([], 0.0)]
    for _ in range(max_tokens):
        longer = []
        for tokens, score in beams:
            if tokens[-1:] == [eos_token]:
                longer.append((tokens, score))
                continue
            best = next_log_probs(tokens).sort(descending=True)
            more = zip(best.values.tolist()[:num_beams], best.indices.tolist(), strict=False)
            longer += [([*tokens, token], score + logp) for logp, token in more]
        beams = longer
    best = max(beams, key=lambda c: c[1] / len(c[0]) ** length_penalty)
    return best[0], best[1] / len(best[0]) ** length_penalty


def _overtaken(table: Tensor, eos: int) -> Tensor:
    """Change a table so that one text ends at once, is overtaken, and would have been the best.

    A search that gives the texts that ended places of their own returns it; here it has lost its
    place to two longer ones, before these became unlikely.
    """
    vocab = table.size(-1)
    start, token = vocab, (eos + 1) % vocab
    table = table * 0.25
    table[..., eos] -= 3.0
    table[start, start, token] += 4.0
    table[start, start, eos] += 5.6
    table[start, token, token] += 3.5
    table[start, token, (eos + 2) % vocab] += 3.5
    return table


def _language(
    generator,
    settings: tuple,
    differ: tuple[str | Callable, ...],
    overtaken: bool = False,
    vocab: int = 5,
) -> Tensor:
    """Draw a language in which the mistakes show; up to three of them do it in different ways."""
    wrong = [flag if callable(flag) else _beams(frozenset({flag})) for flag in differ]

    def apart(one, other):
        return one[0].tolist() != other[0].tolist() or abs(float(one[1] - other[1])) > 1e-2

    while True:
        table = _normal(generator, vocab + 1, vocab + 1, vocab, size=1.2)
        table = (_overtaken(table, settings[2]) if overtaken else table).log_softmax(-1)
        found = [drivers.search(_RIGHT_BEAMS, table, *settings)]
        for implementation in wrong:
            new = drivers.search(implementation, table, *settings)
            if not all(apart(new, other) for other in (found if len(wrong) <= 3 else found[:1])):
                break
            found.append(new)
        else:
            return table


def _beam_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, beams, tokens, *rest, differ=(), overtaken=False):
        settings = (beams, tokens, *rest)
        language = _language(generator, settings, differ, overtaken)
        names = ("language", "num_beams", "max_tokens", "eos_token", "length_penalty")
        arguments = zip(names, (language, *settings), strict=False)
        return Case(title, part, tuple(arguments), driver=drivers.search)

    eos = _integer(generator, 1, 4)
    usual = ("greedy", "on_its_own", "exhaustive", "last_only", "worst")
    two = (_never_cut, "log_multiplied")
    ends = ("ended_first", "own_places", "ended_taken", "first_end", "ended_lost", "eos_ignored")
    stays = ("eos_cut", _EOS_PAID, "ended_lost")
    aside = {"differ": ("own_places", *_ASIDE, _KEPT_FOR_GOOD), "overtaken": True}
    penalty = ("penalty_unused", "penalty_multiplied", "penalty_on_the_way", "best_ended")
    return [
        case("two beams", "core", 2, 4, differ=(*usual, *two, "one_beam_more", "short_memory")),
        case("three beams", "core", 3, _integer(generator, 4, 5), differ=usual[:3]),
        case("one beam", "core", 1, 4, differ=("last_only", "one_beam_more")),
        case("a text of one token", "core", 3, 1),
        case("more beams than tokens", "core", 7, 3, differ=("greedy",)),
        case("a text ends with token 0", "ended", 2, 5, 0, differ=("eos_ignored", "ended_lost")),
        case("a text that ended is overtaken", "ended", 2, 5, eos, differ=ends[2:4]),
        case(
            "a text that ended is not the best",
            "ended",
            2,
            5,
            eos,
            differ=("ended_first", "ended_taken"),
        ),
        case("a text that ended stays the best", "ended", 3, 4, eos, differ=stays),
        case("texts that ended take a place", "ended", 2, 5, eos, **aside),
        case("a length penalty", "penalty", 3, 5, eos, 1.0, differ=penalty),
        case("ends and half a length penalty", "penalty", 2, 5, eos, 0.5, differ=ends),
        case("texts that ended lose their place", "penalty", 2, 5, eos, 0.5, **aside),
        case(
            "short texts are favoured",
            "penalty",
            3,
            4,
            eos,
            -1.0,
            differ=("penalty_unused", "chosen_by_sum", "length_without_eos", "eos_cut"),
        ),
    ]


def _tensor_beams(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    texts, scores = [[]], torch.zeros(1, dtype=torch.float64)
    for _ in range(max_tokens):
        rows, values = [], []
        for text, score in zip(texts, scores, strict=True):
            if text and text[-1] == eos_token:
                rows.append(text)
                values.append(score[None])
            else:
                more = next_log_probs(text).double()
                rows += [[*text, token] for token in range(len(more))]
                values.append(score + more)
        best = torch.cat(values).topk(min(num_beams, len(rows)))
        texts, scores = [rows[i] for i in best.indices.tolist()], best.values
    lengths = torch.tensor([len(text) for text in texts], dtype=torch.float64)
    final = scores / lengths**length_penalty
    return texts[int(final.argmax())], final.max()


def _heap_beams(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    import heapq

    running, finished = [(0.0, ())], []
    while running and len(running[0][1]) < max_tokens:
        extended = (
            (score + float(more), (*tokens, token))
            for score, tokens in running
            for token, more in enumerate(next_log_probs(list(tokens)))
        )
        kept = heapq.nlargest(num_beams, [*finished, *extended])
        finished = [beam for beam in kept if beam[1][-1] == eos_token]
        running = [beam for beam in kept if beam[1][-1] != eos_token]
    score, tokens = max((s / len(t) ** length_penalty, t) for s, t in finished + running)
    return torch.tensor(tokens), score


def _nested_beams(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """Keeps the texts in a dictionary, by recursion."""

    def go_on(beams, left):
        if left == 0:
            return beams
        found = {}
        for tokens, score in beams.items():
            if eos_token is not None and tokens and tokens[-1] == eos_token:
                found[tokens] = score
                continue
            for token, more in enumerate(next_log_probs(tokens).tolist()):
                found[(*tokens, token)] = score + more
        best = sorted(found, key=found.get, reverse=True)[:num_beams]
        return go_on({tokens: found[tokens] for tokens in best}, left - 1)

    beams = go_on({(): 0.0}, max_tokens)
    final = {tokens: score / len(tokens) ** length_penalty for tokens, score in beams.items()}
    best = max(final, key=final.get)
    return list(best), final[best]


def _too_few(next_log_probs, num_beams, *rest):
    next_log_probs([]).topk(num_beams)
    return _RIGHT_BEAMS(next_log_probs, num_beams, *rest)


def _duplicated(next_log_probs, num_beams, max_tokens, eos_token=None, length_penalty=0.0):
    """All beams start equal, and stay equal."""
    beams = [([], 0.0)] * num_beams
    for _ in range(max_tokens):
        candidates = []
        for tokens, score in beams:
            if tokens[-1:] == [eos_token]:
                candidates.append((tokens, score))
                continue
            more = next_log_probs(tokens).tolist()
            candidates += [([*tokens, t], score + p) for t, p in enumerate(more)]
        beams = sorted(candidates, key=lambda c: -c[1])[:num_beams]
    tokens, score = max(beams, key=lambda b: b[1] / len(b[0]) ** length_penalty)
    return tokens, score / len(tokens) ** length_penalty


BEAM_SEARCH = Exercise(
    id="beam_search",
    title="Several roads at once",
    signature="beam_search(next_log_probs, num_beams, max_tokens, eos_token=None, "
    "length_penalty=0.0)",
    reference=_RIGHT_BEAMS,
    cases=_beam_cases,
    parts=(
        Part("core", "the best of several beginnings", 2),
        Part("ended", "texts that end", 1),
        Part("penalty", "long and short texts", 1),
    ),
    minutes=25,
    difficulty=3,
    section=_BEAMS,
    tolerance=1e-4,
    variant=_beams,
    alternatives={
        "tensors and topk": _tensor_beams,
        "a heap, finished apart": _heap_beams,
        "recursion": _nested_beams,
    },
    mistakes=(
        Mistake(
            "greedy",
            "This is the greedy text, whatever `num_beams` says: either one beam is kept, or the "
            "search begins with copies of the empty text, which stay equal. Begin with one.",
            same_results=(_duplicated,),
            alone=True,
        ),
        Mistake(
            "on_its_own",
            "After the first step each beam keeps its own best continuation. All continuations of "
            "all beams compete, and the best `num_beams` of all of them stay.",
        ),
        Mistake(
            "exhaustive",
            "Nothing is thrown away, so all texts are compared. Only the best `num_beams` stay "
            "after each step.",
            alone=True,
        ),
        Mistake(
            "never_cut",
            "The best continuations of each beam all stay, so there are more beams in each step. "
            "Of all candidates together only `num_beams` are kept.",
            _never_cut,
        ),
        Mistake(
            "last_only",
            "A text is judged by its last token alone. Its score is the *sum* of all its "
            "log-probabilities.",
            alone=True,
        ),
        Mistake(
            "one_beam_more",
            "One beam too many is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
            alone=True,
        ),
        Mistake(
            "one_beam_less",
            "One beam too few is kept: after sorting, `candidates[:num_beams]` are `num_beams`.",
            alone=True,
        ),
        Mistake(
            "log_multiplied",
            "Log-probabilities are multiplied. The logarithm of a product is a *sum*: it begins "
            "with 0, and they are added.",
            alone=True,
        ),
        Mistake(
            "ascending",
            "The *least* likely candidates are kept: the order is ascending. The largest sums "
            "stay.",
            alone=True,
        ),
        Mistake(
            "probabilities_added",
            "Probabilities are added. What adds up are their logarithms, as `next_log_probs` gives "
            "them, for the probability of a text is a product.",
            alone=True,
        ),
        Mistake(
            "short_memory",
            "The model is asked with the last token alone. It takes the whole text so far.",
            alone=True,
        ),
        Mistake(
            "same_list",
            "Candidates share one list: `append` or `+=` changes the text that all of them hold. "
            "`[*tokens, token]` is a new list.",
            alone=True,
        ),
        Mistake(
            "topk_fails",
            "`topk` with `num_beams` fails if there are fewer tokens than beams; take the smaller "
            "of the two.",
            _too_few,
            any_error=True,
        ),
        Mistake(
            "always_mean",
            "The sum is always divided by the length, whatever `length_penalty` is. Divide by the "
            "length to the power of it: with 0 the plain sum decides.",
            alone=True,
        ),
        Mistake(
            "worst",
            "Of the beams at the end it is the worst that is returned.",
            versions=(_beams(frozenset({"last_returned"})),),
            alone=True,
        ),
        Mistake(
            "one_less",
            "The texts are one token too short: `max_tokens` tokens are allowed.",
            alone=True,
        ),
        Mistake(
            "one_step_more",
            "The texts are one token too long: at most `max_tokens` tokens are allowed.",
            alone=True,
        ),
        Mistake(
            "eos_ignored",
            "A text goes on after `eos_token`. Once it has ended it is kept as it is, with its "
            "score.",
            points=2,
        ),
        Mistake(
            "first_end",
            "The search stops as soon as one text has ended. Others may still overtake it: go on "
            "until all beams have ended or `max_tokens` is reached.",
            points=2,
        ),
        Mistake(
            "ended_taken",
            "The search stops as soon as one text has ended, and returns it. Others may still be "
            "better: go on until all beams have ended or `max_tokens` is reached.",
            points=2,
            alone=True,
        ),
        Mistake(
            "ended_first",
            "At the end a text that has ended is preferred to all that have not. Of the beams that "
            "are left the best is returned, ended or not.",
            points=2,
            alone=True,
        ),
        Mistake(
            "eos_repeated",
            "A text that has ended gets `eos_token` once more in each step. It stays as it is, and "
            "its length does not grow.",
            versions=(_EOS_PAID,),
            points=2,
            alone=True,
        ),
        Mistake(
            "zero_is_none",
            "Token 0 does not end a text, because in Python 0 counts as False: ask whether "
            "`eos_token is not None`.",
            points=3,
            alone=True,
        ),
        Mistake(
            "ended_lost",
            "A text that has ended is lost in the next step. It stays among the candidates, as it "
            "is.",
            points=2,
        ),
        Mistake(
            "own_places",
            "Texts that have ended do not take a place among the beams, so more texts are followed "
            "than asked for. (Libraries do it like this.) Here ended and running texts compete for "
            "the same `num_beams` places.",
            versions=_ASIDE,
            points=2,
            alone=True,
        ),
        Mistake(
            "kept_for_good",
            "A text that has ended keeps its place for good. It competes in each step like the "
            "others, and loses its place if `num_beams` candidates are better.",
            _KEPT_FOR_GOOD,
            points=2,
        ),
        Mistake("eos_cut", "`eos_token` is missing at the end of the text.", points=2),
        Mistake("penalty_unused", "`length_penalty` is not used.", points=3),
        Mistake(
            "penalty_multiplied",
            "The sum is multiplied by the power of the length; divide by it.",
            points=3,
        ),
        Mistake(
            "max_tokens_as_length",
            "The length that divides is the same for all texts, `max_tokens`. Each text has its "
            "own, `len(tokens)`.",
            points=3,
            alone=True,
        ),
        Mistake(
            "length_plus_one",
            "The length is one too large. It counts the tokens of the text, `eos_token` included, "
            "and nothing else.",
            points=3,
            alone=True,
        ),
        Mistake(
            "length_less_one",
            "The length is one too small. It counts all tokens of the text, the first and the last "
            "included.",
            points=3,
            alone=True,
        ),
        Mistake(
            "default_one",
            "Where `length_penalty` is not given the sum is divided by the length. Its default is "
            "0: the plain sum decides.",
            lambda *arguments: _RIGHT_BEAMS(*arguments, *(None, 1.0)[len(arguments) - 3 :]),
        ),
        Mistake(
            "six_sixths",
            "The divisor is ((5 + length) / 6) to the power of the penalty, as another paper has "
            "it. Here it is the length itself to this power.",
            points=3,
            alone=True,
        ),
        Mistake(
            "times_length",
            "The sum is divided by the length *times* `length_penalty`. Asked for is the length to "
            "the *power* of it.",
            points=3,
            alone=True,
        ),
        Mistake(
            "times_zero",
            "The sum is divided by the length *times* `length_penalty`, which is 0 if that is 0. "
            "Asked for is the length to the *power* of it: 1 then.",
            alone=True,
        ),
        Mistake(
            "added",
            "The penalty is added to the sum or subtracted from it. Asked for is the sum divided "
            "by the length to the power of `length_penalty`.",
            points=3,
            versions=(_beams(frozenset({"subtracted"})),),
            alone=True,
        ),
        Mistake(
            "mean_if_penalty",
            "The sum is divided by the length itself, whatever `length_penalty` is. Divide by the "
            "length to the power of it.",
            points=3,
            alone=True,
        ),
        Mistake(
            "penalty_on_the_way",
            "The length penalty is used at each step. While beams are kept, their plain sums "
            "count; divide at the end only.",
            points=3,
        ),
        Mistake(
            "best_ended",
            "The search stops as soon as the best text has ended. By the plain sum nothing can "
            "overtake it any more, but divided by the length a longer one may.",
            points=3,
            alone=True,
        ),
        Mistake(
            "chosen_by_sum",
            "The text with the largest sum is returned. Of the beams that are left, the largest "
            "*divided* score decides.",
            points=3,
            alone=True,
        ),
        Mistake(
            "length_without_eos",
            "The length is counted without `eos_token`. It counts all tokens, this one included.",
            points=3,
            alone=True,
        ),
        Mistake(
            "sum_returned",
            "The score that is returned is the plain sum. Asked for is the sum divided by the "
            "power of the length, by which the text was chosen.",
            points=3,
        ),
        Mistake(
            "probability",
            "The score that is returned is a probability; asked for is its logarithm.",
            lambda *arguments: (lambda t, s: (t, math.exp(s)))(*_RIGHT_BEAMS(*arguments)),
        ),
        Mistake(
            "negated",
            "The score has the wrong sign. It is a sum of logarithms of probabilities, so it is "
            "not above 0.",
            lambda *arguments: (lambda t, s: (t, -s))(*_RIGHT_BEAMS(*arguments)),
        ),
        Mistake(
            "all_beams",
            "It returns more than the best text.",
            lambda *arguments: ([_RIGHT_BEAMS(*arguments)[0]], _RIGHT_BEAMS(*arguments)[1]),
        ),
    ),
)


EXERCISES = [
    DECODER_MASK,
    NEXT_TOKEN_PROBABILITIES,
    REPAIRED_LOSS,
    CACHED_ATTENTION,
    BEAM_SEARCH,
]
