"""Keys that come by once: attention over a stream of blocks, with an online softmax."""

from __future__ import annotations

import dataclasses
import math

import torch
from torch import Tensor

from grading.content.common import changed_in_place, kept
from grading.content.drawing import one_of
from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import BLOCKS, SOFTMAX
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Exercise, Mistake, Part


def streamed_attention(query, blocks):
    """Attention over keys and values that come by once; output and log-sum-exp."""
    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)
    total = torch.zeros_like(largest)  # of e^(score - largest)
    weighted = 0.0  # of e^(score - largest) * value
    for key, value, mask in blocks:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        new = torch.maximum(largest, scores.amax(-1))
        shift = new.masked_fill(new == -math.inf, 0.0)  # -inf - -inf would be NaN
        correction = (largest - shift).exp()
        parts = (scores - shift.unsqueeze(-1)).exp()
        total = total * correction + parts.sum(-1)
        weighted = weighted * correction.unsqueeze(-1) + parts @ value
        largest = new
    divisor = total.masked_fill(total == 0, 1.0)
    output = weighted / divisor.unsqueeze(-1)
    lse = largest + total.log()
    return output, lse


def _stream_cases(generator: torch.Generator) -> list[Case]:
    def integers(*shape, low=-2, high=3):
        return torch.randint(low, high, shape, generator=generator).float()

    def stream(sizes, shift=(), batch=2, heads=3, queries=5, integer=False, size=None):
        """A query and blocks; ``shift``: about how large the scores of each block are.

        With integers and a head size of 4 every score is exact in whatever order it is computed.
        """
        if integer:
            head_size = 4
            query = integers(batch, heads, queries, head_size)
            query[..., 0] = 2.0
            keys = [integers(batch, heads, n, head_size) for n in sizes]
            for key, level in zip(keys, shift, strict=True):
                key[..., 0] = level + integers(*key.shape[:-1])
        else:
            head_size = size or one_of(generator, 6, 7)
            query = normal(generator, batch, heads, queries, head_size)
            keys = [normal(generator, batch, heads, n, head_size) for n in sizes]
        values = [normal(generator, batch, heads, n, size or 8) for n in sizes]
        return [("query", query), ("keys", keys), ("values", values)]

    def masks(sizes, hidden, batch=2, queries=5):
        """Drawn masks; ``hidden[n]``: the queries that see nothing of block n, in the first row.

        With ``None`` it's no query of any row.
        """
        drawn: list[Tensor | None] = []
        for number, size in enumerate(sizes):
            mask = torch.rand(batch, 1, queries, size, generator=generator) < 0.7
            mask[..., 0] = True
            if hidden.get(number, ()) is None:
                mask[:] = False
            else:
                mask[0, :, list(hidden.get(number, ()))] = False
            drawn.append(mask)
        return drawn

    def case(title, part, sizes, hidden=None, without=(), **options):
        arguments = stream(sizes, **options)
        if hidden is not None:
            batch, _, queries, _ = arguments[0][1].shape
            found = masks(sizes, hidden, batch, queries)
            found = [None if n in without else mask for n, mask in enumerate(found)]
            arguments.append(("masks", found))
        return Case(title, part, tuple(arguments), harness=harnesses.streamed)

    def far(title, *shift, hidden=None, part="large", batch=1):
        sizes = [4, 3, 6, 2][: len(shift)] if part == "large" else [14, 9, 26]
        return case(title, part, sizes, hidden, shift=shift, integer=True, batch=batch)

    def levelled(drawn, level):
        """The same, with the scores of hidden keys about ``level`` higher.

        The same keys are hidden from all queries, of each block one or more, but not all.
        """
        (_, keys), (_, masks) = drawn.arguments[1], drawn.arguments[3]
        for key, mask in zip(keys, masks, strict=True):
            mask[:] = torch.arange(mask.size(-1)) % 2 == 1
            key[..., 0] += level * ~mask[:, :, 0]
        return drawn

    def far_above(drawn):
        """The same, with scores of −16 and −15.5, and hidden ones of 88.5.

        They are so far apart that e^(−15.5 − 88.5) is 0. But e^88.5 is finite, and the sum of the
        others' e^score above 1e-6: without a maximum, or with one of 0, they are still right.
        """
        (_, query), (_, keys), _, (_, masks) = drawn.arguments
        query[..., 1:] = 0.0  # the score is the key's first number
        for key, mask in zip(keys, masks, strict=True):
            mask[:] = torch.arange(mask.size(-1)) % 2 == 0
            seen = -16 + integers(*key.shape[:-1], low=0, high=2) / 2
            key[..., 0] = torch.where(mask[:, :, 0], seen, torch.tensor(88.5))
        return drawn

    size = one_of(generator, 2, 3)
    again = case("called again with other numbers", "core", [3, 1, 4], batch=4)
    other = tuple(value for _, value in stream([3, 1, 4], batch=4))
    while other[0].shape != again.arguments[0][1].shape:
        other = tuple(value for _, value in stream([3, 1, 4], batch=4))
    nothing = {n: (1, 3) for n in range(3)}
    # Scores around +100 and around −100 in turns, along each axis: no maximum fits two queries.
    apart = far("queries far apart", 100, 100, 100, batch=2)
    query = apart.arguments[0][1]
    turns = sum(torch.meshgrid(*map(torch.arange, query.shape[:-1]), indexing="ij"))
    query[..., 0] *= 1 - 2 * (turns % 2)
    some = case("masks for some blocks", "hidden", [4, 4, 2, 5], {0: (2,)}, without=(1, 3))
    found = some.arguments[3][1]
    found[0][-1] = found[2][0] = True  # one row of the batch sees all of a block, another doesn't
    found[2][-1, ..., 1] = False
    empty = case("queries that see nothing at all, then all of them", "hidden", [3, 1, 4], nothing)
    empty.arguments[0][1][:, :, 0] = 0.0  # the scores of this one, which sees something, are all 0
    one, *rest = empty.arguments[3][1]
    one[:, :, 0, 1:] = False  # it sees one key of the first block, so the lse so far is 0
    for mask in rest:  # and in the second text none of later blocks
        mask[1, :, 0] = False
    *given, seen = [value for _, value in empty.arguments]
    blind = *given, [torch.zeros_like(mask) for mask in seen]
    return [
        case("one block, all sizes are equal", "core", [3], batch=3, queries=3, size=3),
        case("blocks of one key", "core", [1] * 5),
        case("blocks of different sizes", "core", [size, 6, 1, 4]),
        case("a batch of one, one query, one head", "core", [4, 2, 3], batch=1, heads=1, queries=1),
        Case(again.title, "core", again.arguments, harness=again.harness, again=(other,)),
        far_above(far("masks, hidden scores far above", 0, 0, 0, hidden={}, part="hidden")),
        some,
        case(
            "no mask for the first block",
            "hidden",
            [3, 4, 2],
            {1: range(5), 2: range(5)},
            without=(0,),
        ),
        case("queries that see nothing of the first block", "hidden", [3, 4, 2], {0: (0, 3)}),
        case(
            "a block hidden from all; queries that see nothing later on",
            "hidden",
            [4, 2, 3, 4],
            {1: None, 2: (0, 4), 3: (1,)},
        ),
        dataclasses.replace(empty, again=(blind,)),
        far("scores that rise from −200 to 200", -200, -60, 90, 200),
        far("scores that fall from 200 to −200", 200, 60, -90, -200),
        far("scores around −200 alone", -200, -200, -198),
        levelled(far("scores around −200, hidden ones lower", -200, -200, -200, hidden={}), -40),
        apart,
        dataclasses.replace(
            far("scores around −200, after a block that is hidden", -200, -199, hidden={0: (1, 3)}),
            harness=harnesses.streamed_small,
        ),
    ]


def _by_merging(query, blocks):
    """Each block by itself, merged with what came before by the log-sum-exps."""
    output = lse = None
    for key, value, mask in blocks:
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
        if mask is not None:
            scores = torch.where(mask, scores, -math.inf)
        mine = scores.softmax(-1).nan_to_num(0.0) @ value
        my_lse = scores.logsumexp(-1)
        if output is None:
            output, lse = mine, my_lse
            continue
        both = torch.stack([lse, my_lse])
        share = both.softmax(0).nan_to_num(0.0)[..., None]
        output, lse = share[0] * output + share[1] * mine, both.logsumexp(0)
    return output, lse


def _by_copies(query, blocks):
    """Blocks are copied, as they must be, and attended to all at once."""
    scores, values = [], []
    for key, value, mask in blocks:
        score = query.double() @ key.double().mT / query.shape[-1] ** 0.5
        scores.append(score if mask is None else score.masked_fill(mask.logical_not(), -math.inf))
        values.append(value.clone())
    scores = torch.cat(scores, dim=-1)
    lse = scores.logsumexp(dim=-1, keepdim=True)
    weights = (scores - lse.clamp(min=-1e30)).exp()
    return (weights @ torch.cat(values, dim=-2).double()).float(), lse.squeeze(-1).float()


def _by_loops(query, blocks):
    """Key by key; the output is kept divided, and a lowest score stands for nothing."""
    batch, heads, queries, size = query.shape
    lse = torch.full((batch, heads, queries), -math.inf)
    output = None
    for key, value, mask in blocks:
        if output is None:
            output = torch.zeros(batch, heads, queries, value.size(-1))
        for place in range(key.size(2)):
            score = (query * key[:, :, place, None]).sum(-1) / math.sqrt(size)
            if mask is not None:
                score = score.masked_fill(~mask[..., place], -math.inf)
            joined = torch.logaddexp(lse, score)
            share = (score - joined).exp().nan_to_num(0.0)[..., None]
            output = output + share * (value[:, :, place, None] - output)
            lse = joined
    return output, lse


_NEW = "new = torch.maximum(largest, scores.amax(-1))"
_TOTAL = "total = total * correction + parts.sum(-1)"
_WEIGHTED = "weighted = weighted * correction.unsqueeze(-1) + parts @ value"
_SHIFT = "new.masked_fill(new == -math.inf, 0.0)"
_SCORES = "scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))"
_LARGEST = "        largest = new\n"
_SEEN_LAST = (
    "        empty = torch.zeros_like(total) > 0\n"
    "        if mask is not None:\n"
    "            empty = empty | ~mask.any(-1)\n"
)
_FILL = "~mask, -math.inf"
_ALL_AT_ONCE = (
    "    blocks = list(blocks)\n"
    "    keys = torch.cat([key for key, _, _ in blocks], 2)\n"
    "    values = torch.cat([value for _, value, _ in blocks], 2)\n"
    "    blocks = [(keys, values, None)]\n"
    "    largest = torch.full("
)


_NO_MAXIMUM = [
    (_SHIFT, "torch.zeros_like(new)"),
    ("largest = new\n", "largest = torch.zeros_like(new)\n"),
    ("(largest - shift)", "torch.zeros_like(total)"),
]


EXERCISE = Exercise(
    id="streamed_attention",
    title="Keys that come by once",
    signature="streamed_attention(query, blocks)",
    reference=streamed_attention,
    combined=(
        "not_corrected",
        "no_scale",
        "averaged",
        "last_block",
        "lse_of_total",
        "nan_first",
        "empty_divided",
    ),
    cases=_stream_cases,
    parts=(
        Part("core", "blocks without masks", 2),
        Part("hidden", "masks, and queries that see nothing", 1),
        Part("large", "very large and very small scores", 1),
    ),
    minutes=25,
    difficulty=3,
    section=BLOCKS,
    tolerance=1e-4,
    draws=3,
    alternatives={
        "blocks merged by log-sum-exp": _by_merging,
        "copies of all blocks": _by_copies,
        "key by key": _by_loops,
    },
    mistakes=(
        Mistake(
            "not_corrected",
            "When a larger score comes, the two sums of the earlier blocks are left as they were. "
            "They were made with the old maximum: multiply both by e^(old maximum − new maximum).",
            [("correction = (largest - shift).exp()", "correction = torch.ones_like(total)")],
            section=SOFTMAX,
        ),
        Mistake(
            "total_not_corrected",
            "The sum of the exponentials isn't corrected when the maximum rises. It needs the same "
            "factor as the weighted values, e^(old maximum − new maximum).",
            [(_TOTAL, "total = total + parts.sum(-1)")],
            section=SOFTMAX,
        ),
        Mistake(
            "weighted_not_corrected",
            "The sum of the weighted values isn't corrected when the maximum rises. It needs the "
            "same factor as the sum of the exponentials, e^(old maximum − new maximum).",
            [(_WEIGHTED, "weighted = weighted + parts @ value")],
        ),
        Mistake(
            "correction_inverted",
            "The correction is e^(new maximum − old maximum), which makes the earlier sums larger. "
            "It's e^(old − new), at most 1.",
            [
                (
                    "(largest - shift).exp()",
                    "(shift - largest).exp().masked_fill(largest == -math.inf, 0.0)",
                )
            ],
            other_forms=([("(largest - shift).exp()", "(shift - largest).exp()")],),
            section=SOFTMAX,
        ),
        Mistake(
            "new_part_corrected",
            "The new block is multiplied by the correction, too. It was made with the new maximum "
            "already; only what came before needs it.",
            [
                (_TOTAL, "total = (total + parts.sum(-1)) * correction"),
                (_WEIGHTED, "weighted = (weighted + parts @ value) * correction.unsqueeze(-1)"),
            ],
            other_forms=(
                [
                    (_TOTAL, "total = total + parts.sum(-1) * correction"),
                    (_WEIGHTED, "weighted = weighted + parts @ value * correction.unsqueeze(-1)"),
                ],
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "maximum_of_block",
            "The maximum is that of the last block, even where an earlier one was larger. It's the "
            "larger of both.",
            [
                (_NEW, "new = scores.amax(-1)"),
                ("correction = (largest - shift).exp()", "correction = torch.ones_like(total)"),
            ],
            other_forms=([("        largest = new\n", "        largest = scores.amax(-1)\n")],),
            section=SOFTMAX,
        ),
        Mistake(
            "averaged",
            "The blocks' outputs are averaged, or added up, each with a softmax of its own. What "
            "a block counts for depends on its scores, not on its size.",
            [
                (_TOTAL, "total = total * correction + parts.sum(-1)\n        number = number + 1"),
                ("    weighted = 0.0", "    number = 0\n    weighted = 0.0"),
                (_WEIGHTED, "weighted = weighted + scores.softmax(-1) @ value"),
                ("weighted / divisor.unsqueeze(-1)", "weighted / number"),
            ],
            other_forms=(
                [
                    ("    weighted = 0.0", "    number = 0\n    weighted = 0.0"),
                    (
                        _WEIGHTED,
                        "weighted = weighted + key.size(2) * scores.softmax(-1) @ value\n"
                        "        number = number + key.size(2)",
                    ),
                    ("weighted / divisor.unsqueeze(-1)", "weighted / number"),
                ],
                [
                    (_WEIGHTED, "weighted = weighted + scores.softmax(-1) @ value"),
                    ("weighted / divisor.unsqueeze(-1)", "weighted"),
                ],
            ),
        ),
        Mistake(
            "divided_in_between",
            "The values are divided by the sum in every block, and then corrected as if they "
            "weren't. Divide once, at the end.",
            [
                (
                    _WEIGHTED,
                    "weighted = weighted * correction.unsqueeze(-1) + parts @ value\n"
                    "        weighted = weighted / total.unsqueeze(-1)",
                ),
                ("weighted / divisor.unsqueeze(-1)", "weighted"),
            ],
            other_forms=(
                [
                    (
                        _WEIGHTED,
                        "weighted = weighted * correction.unsqueeze(-1) + parts @ value / "
                        "parts.sum(-1, keepdim=True)",
                    ),
                    ("weighted / divisor.unsqueeze(-1)", "weighted"),
                ],
                [
                    (
                        _WEIGHTED,
                        "weighted = weighted * correction.unsqueeze(-1) + scores.softmax(-1) "
                        "@ value",
                    )
                ],
            ),
        ),
        Mistake(
            "last_block",
            "Only the last block counts: what came before is forgotten.",
            [
                (_TOTAL, "total = parts.sum(-1)"),
                (_WEIGHTED, "weighted = parts @ value"),
                (_NEW, "new = scores.amax(-1)"),
            ],
            other_forms=(
                [(_TOTAL, "total = parts.sum(-1)"), (_WEIGHTED, "weighted = parts @ value")],
            ),
        ),
        Mistake(
            "first_block",
            "Only the first block counts: the function returns, or stops, after it.",
            [("        largest = new\n", "        largest = new\n        break\n")],
        ),
        Mistake(
            "collected",
            "A block is used when the next one, or all, have come, as from a list. By then its "
            "tensors have been overwritten. Use each block when it comes.",
            [("    largest = torch.full(", _ALL_AT_ONCE)],
            other_forms=(
                [
                    (
                        "    largest = torch.full(",
                        "    blocks = list(blocks)\n    largest = torch.full(",
                    )
                ],
                [
                    ("    weighted = 0.0", "    scored, values = [], []\n    weighted = 0.0"),
                    (
                        _LARGEST,
                        f"{_LARGEST}        scored.append(scores)\n        values.append(value)\n",
                    ),
                    (
                        "weighted / divisor.unsqueeze(-1)",
                        "torch.cat(scored, -1).softmax(-1).nan_to_num(0.0) @ torch.cat(values, 2)",
                    ),
                ],
            ),
        ),
        Mistake(
            "twice",
            "The blocks are gone through twice. They come by once, so the second time there are "
            "none.",
            [
                (
                    "    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)",
                    "    largest = torch.full(query.shape[:-1], -math.inf, dtype=query.dtype)\n"
                    "    for key, _, _ in blocks:\n"
                    "        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))\n"
                    "        largest = torch.maximum(largest, scores.amax(-1))",
                )
            ],
            other_forms=(
                [("    largest = torch.full(", "    _ = len(blocks)\n    largest = torch.full(")],
                [("    largest = torch.full(", "    _ = blocks[0]\n    largest = torch.full(")],
            ),
        ),
        Mistake(
            "no_scale",
            "The scores aren't divided by √head_size.",
            [(" / math.sqrt(query.size(-1))", "")],
        ),
        Mistake(
            "scale_without_root",
            "The scores are divided by head_size; it's the root of it.",
            [("math.sqrt(query.size(-1))", "query.size(-1)")],
        ),
        Mistake(
            "scale_keys",
            "The scores are divided by the root of a wrong size. Of the four axes of `query`, "
            "`head_size` is the last.",
            [("math.sqrt(query.size(-1))", "math.sqrt(key.size(-2))")],
            other_forms=(
                [("math.sqrt(query.size(-1))", "math.sqrt(value.size(-1))")],
                [("math.sqrt(query.size(-1))", "math.sqrt(query.size(-2))")],
                [("math.sqrt(query.size(-1))", "math.sqrt(query.size(1))")],
            ),
        ),
        Mistake(
            "lse_of_total",
            "`lse` is the logarithm of a sum from which the maximum was subtracted. Add it again.",
            [("largest + total.log()", "total.log()")],
            section=SOFTMAX,
        ),
        Mistake(
            "lse_not_logarithm",
            "`lse` is the sum of the exponentials; it's the *logarithm* of that sum.",
            [("largest + total.log()", "total * largest.exp()")],
            other_forms=([("largest + total.log()", "total")],),
            section=SOFTMAX,
        ),
        Mistake(
            "lse_maximum",
            "`lse` is the largest score alone. The logarithm of the sum is missing: largest score "
            "+ log of the sum of e^(score − largest).",
            [("largest + total.log()", "largest")],
            section=SOFTMAX,
        ),
        Mistake(
            "lse_product",
            "`lse` is the maximum *times* something, or minus it. It's the maximum *plus* the "
            "logarithm of the sum.",
            [("largest + total.log()", "largest * total.log()")],
            other_forms=(
                [("largest + total.log()", "largest - total.log()")],
                [("largest + total.log()", "total.log() - largest")],
                [("largest + total.log()", "largest + total")],
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "base_two",
            "`lse` has a logarithm to another base (`log2`, `log10`); it's the natural one.",
            [("total.log()", "total.log2()")],
            other_forms=(
                [("total.log()", "total.log10()")],
                [("largest + total.log()", "(largest + total.log()) / math.log(2)")],
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "lse_shape",
            "`lse` has an axis too many. It's one number for each query, [batch, heads, queries].",
            [("largest + total.log()", "(largest + total.log()).unsqueeze(-1)")],
        ),
        Mistake(
            "exchanged",
            "The two results are exchanged: the output first, then `lse`.",
            [("return output, lse", "return lse, output")],
        ),
        Mistake(
            "output_only",
            "Only the output is returned. Return the output and `lse`.",
            [("return output, lse", "return output")],
        ),
        Mistake(
            "not_divided",
            "The output isn't divided by the sum of the exponentials.",
            [("weighted / divisor.unsqueeze(-1)", "weighted")],
        ),
        Mistake(
            "overflow",
            "e^score is computed without subtracting a maximum: very large scores become ∞, and "
            "very small ones all become 0.",
            _NO_MAXIMUM,
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "overflow_and_empty_lse",
            "e^score is computed without subtracting a maximum: very large scores become ∞, and "
            "very small ones all become 0. Besides, `lse` of a query that has seen nothing isn't "
            "−∞, because the sum is kept away from 0.",
            [
                *_NO_MAXIMUM,
                (
                    "divisor = total.masked_fill(total == 0, 1.0)",
                    "divisor = total.clamp(min=1e-20)",
                ),
                ("largest + total.log()", "divisor.log()"),
            ],
            other_forms=(
                [
                    *_NO_MAXIMUM,
                    (
                        "divisor = total.masked_fill(total == 0, 1.0)",
                        "divisor = total.clamp(min=1e-30)",
                    ),
                    ("largest + total.log()", "divisor.log()"),
                ],
            ),
            points=2,
            section=SOFTMAX,
        ),
        Mistake(
            "clamped",
            "The scores are clamped so that e^score doesn't overflow, which changes them. Subtract "
            "the largest score so far instead.",
            [
                (
                    "    new = torch.max",
                    "    scores = scores.clamp(max=80.0)\n        new = torch.max",
                )
            ],
            other_forms=(
                [
                    (
                        "    new = torch.max",
                        "    hidden = scores == -math.inf\n"
                        "        scores = scores.clamp(-80, 80).masked_fill(hidden, -math.inf)\n"
                        "        new = torch.max",
                    )
                ],
            ),
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "maximum_of_first",
            "The maximum stays that of the first block: where later scores are much larger, "
            "e^(score − maximum) overflows. When a larger score comes, it becomes the maximum, and "
            "the sums are corrected.",
            [
                (
                    _NEW,
                    "new = (\n"
                    "            largest\n"
                    "            if torch.is_tensor(weighted)\n"
                    "            else scores.amax(-1).nan_to_num(neginf=0.0)\n"
                    "        )",
                )
            ],
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "starts_at_zero",
            "The maximum begins at 0, so it never falls below 0, and queries whose scores are all "
            "very negative have sums of 0. Begin with −∞.",
            [("query.shape[:-1], -math.inf,", "query.shape[:-1], 0.0,")],
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "one_maximum",
            "One maximum is used for all queries: where a query's scores are far below it, its "
            "sums vanish. Each query needs a maximum of its own.",
            [("scores.amax(-1)", "scores.max()")],
            other_forms=(
                [("scores.amax(-1)", "scores.amax(dim=(1, 3)).unsqueeze(1)")],
                [("scores.amax(-1)", "scores.amax(dim=(0, 3))")],
                [("scores.amax(-1)", "scores.amax(dim=(-2, -1)).unsqueeze(-1)")],
            ),
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "maximum_of_hidden",
            "The largest score is taken before the mask: where a hidden score is far above those "
            "that are seen, their exponentials are all 0. Hide the scores first.",
            [
                (
                    "        if mask is not None:\n"
                    "            scores = scores.masked_fill(~mask, -math.inf)\n",
                    "",
                ),
                (
                    "        total = total * correction",
                    "        if mask is not None:\n"
                    "            parts = parts * mask\n"
                    "        total = total * correction",
                ),
            ],
            points=3,
        ),
        Mistake(
            "last_mask",
            "A query that sees nothing of the *last* block gets an output of 0, whatever it saw "
            "before. Its output is 0 only if it has seen nothing of any block.",
            [
                (_LARGEST, _LARGEST + _SEEN_LAST),
                (
                    "    lse = largest",
                    "    output = output.masked_fill(empty.unsqueeze(-1), 0.0)\n    lse = largest",
                ),
            ],
            other_forms=(
                [
                    (_LARGEST, _LARGEST + _SEEN_LAST),
                    (
                        "    lse = largest",
                        "    output = output.masked_fill(empty.unsqueeze(-1), 0.0)\n"
                        "    largest = largest.masked_fill(empty, -math.inf)\n"
                        "    lse = largest",
                    ),
                ],
            ),
            points=3,
        ),
        Mistake(
            "stops_where_hidden",
            "The blocks end where nothing of one is seen. What comes behind it counts as well.",
            [
                (
                    "        if mask is not None:\n",
                    "        if mask is not None:\n"
                    "            if not mask.any():\n"
                    "                break\n",
                )
            ],
            other_forms=(
                [
                    (
                        "        if mask is not None:\n",
                        "        if mask is not None and not mask.any():\n"
                        "            shape = *query.shape[:-1], value.size(-1)\n"
                        "            weighted = weighted + torch.zeros(shape)\n"
                        "            break\n"
                        "        if mask is not None:\n",
                    )
                ],
            ),
            points=3,
        ),
        Mistake(
            "shaped_like_query",
            "The sum of weighted values has the shape of the query. Its last axis is `value_size`, "
            "which may differ from `head_size`.",
            [("weighted = 0.0", "weighted = torch.zeros_like(query)")],
        ),
        Mistake(
            "wrong_axis",
            "Maximum and sum run over the queries of a block. They run over its *keys*, the last "
            "axis of the scores.",
            [("scores.amax(-1)", "scores.amax(-2)"), ("parts.sum(-1)", "parts.sum(-2)")],
            any_error=True,
        ),
        Mistake(
            "no_mask",
            "The masks hide nothing.",
            [
                (
                    "        if mask is not None:\n"
                    "            scores = scores.masked_fill(~mask, -math.inf)\n",
                    "",
                )
            ],
            points=3,
        ),
        Mistake(
            "first_mask",
            "The mask of the first block is forgotten.",
            [("if mask is not None:", "if mask is not None and torch.is_tensor(weighted):")],
            points=3,
        ),
        Mistake(
            "mask_of_first_text",
            "Every text of the batch gets the masks of the first one.",
            [("~mask", "~mask[:1]")],
            points=3,
        ),
        Mistake(
            "mask_inverted",
            "The masks are inverted: True is for a key that may be seen.",
            [("~mask", "mask")],
            points=2,
        ),
        Mistake(
            "mask_squeezed",
            "The masks have lost their axis for the heads (`squeeze`), so their batch lies along "
            "the heads. Leave the axis: one mask serves all heads of its text.",
            [("~mask", "~mask.squeeze(1)")],
            points=3,
            any_error=True,
        ),
        Mistake(
            "mask_none",
            "It fails where a block's mask is None. Then all its keys may be seen.",
            [("if mask is not None", "if True")],
            any_error=True,
        ),
        Mistake(
            "zero_fill",
            "Hidden scores are set to 0, and e⁰ = 1: hidden keys still count. Set them to −∞.",
            [(_FILL, "~mask, 0.0")],
            other_forms=([("scores.masked_fill(~mask, -math.inf)", "scores * mask")],),
            points=2,
        ),
        Mistake(
            "small_fill",
            "Hidden scores are set to a number that real scores reach. Where all "
            "scores are lower, hidden keys get all the weight. Set them to −∞.",
            [(_FILL, "~mask, -100.0")],
            points=2,
        ),
        Mistake(
            "nan_first",
            "A query that has seen nothing yet has the maximum −∞, and −∞ − (−∞) is NaN, which "
            "stays in its sums for ever; at the end it's too late to replace it. Subtract a finite "
            "number there.",
            [(_SHIFT, "new")],
            other_forms=(
                [
                    (_SHIFT, "new"),
                    (
                        "return output, lse",
                        "return output.nan_to_num(0.0), lse.masked_fill(lse.isnan(), -math.inf)",
                    ),
                ],
                [(_SHIFT, "new"), ("return output, lse", "return output.nan_to_num(0.0), lse")],
            ),
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "shift_kept",
            "The finite number that is subtracted where a query has seen nothing is kept as its "
            "maximum. If all that it sees later is far below that number, its sums vanish: the "
            "maximum stays −∞ until something is seen.",
            [(_LARGEST, "        largest = shift\n")],
            points=3,
            section=SOFTMAX,
        ),
        Mistake(
            "empty_divided",
            "A query that sees nothing at all gets 0 / 0, which is NaN. Its output is 0 and its "
            "`lse` −∞.",
            [("total.masked_fill(total == 0, 1.0)", "total")],
            points=3,
        ),
        Mistake(
            "empty_average",
            "A query that sees nothing at all gets an average of hidden values: its hidden scores "
            "are all the same finite number. Its output is 0 and its `lse` −∞.",
            [(_FILL, "~mask, -1e30")],
            other_forms=(
                [(_FILL, "~mask, -1e9")],
                [(_FILL, "~mask, torch.finfo(scores.dtype).min")],
                [(_FILL, "~mask, -1e4")],
                [
                    (_FILL, "~mask, -1e4"),
                    ("return output, lse", "return output, lse.masked_fill(lse < -9e3, 0.0)"),
                ],
            ),
            points=3,
        ),
        Mistake(
            "empty_lse",
            "The output is right, but `lse` of a query that has seen nothing isn't −∞: the "
            "logarithm is of a sum that was kept away from 0.",
            [("largest + total.log()", "largest.nan_to_num(neginf=0.0) + divisor.log()")],
            other_forms=(
                [("largest + total.log()", "(largest + total.log()).nan_to_num(neginf=0.0)")],
                [
                    (
                        "largest + total.log()",
                        "largest.nan_to_num(neginf=0.0) + total.clamp(min=1e-9).log()",
                    )
                ],
                [
                    (
                        "largest + total.log()",
                        "largest.clamp(min=-1e30) + total.clamp(min=1e-30).log()",
                    )
                ],
                [
                    (
                        "largest + total.log()",
                        "largest.nan_to_num(neginf=0.0) + total.clamp(min=1e-30).log()",
                    )
                ],
            ),
            points=3,
        ),
        changed_in_place(
            "query",
            [
                (_SCORES, "scores = query @ key.transpose(-2, -1)"),
                (
                    "    for key, value",
                    "    query /= math.sqrt(query.size(-1))\n    for key, value",
                ),
            ],
        ),
        kept(
            [
                ("(query, blocks):", "(query, blocks, kept={}):"),
                (
                    "    largest = torch.full(",
                    "    query = kept.setdefault(query.shape, query)\n    largest = torch.full(",
                ),
            ],
            any_error=True,
        ),
    ),
)
