"""The known mistakes of `streamed_attention`."""

from __future__ import annotations

from grading.content.common import changed_in_place, kept_name
from grading.content.modern_decoder.sections import SOFTMAX
from grading.exercise import Mistake

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


COMBINED = (
    "not_corrected",
    "no_scale",
    "averaged",
    "last_block",
    "lse_of_total",
    "nan_first",
    "empty_divided",
)

MISTAKES = (
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
                    "weighted = weighted * correction.unsqueeze(-1) + scores.softmax(-1) @ value",
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
        other_forms=([(_TOTAL, "total = parts.sum(-1)"), (_WEIGHTED, "weighted = parts @ value")],),
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
        "The blocks are gone through twice. They come by once, so the second time there are none.",
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
    kept_name("(query, blocks", "query", "    largest = torch.full(", any_error=True),
)
