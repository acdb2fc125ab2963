"""Exercise 2: attention of many heads in which padding gets no weight."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from grading.check import gradient_of_each
from grading.content.common import changed_in_place, cut_off, kept
from grading.content.drawing import draw_sizes, redrawn
from grading.content.simple_attention.sections import MASKS, ROOT, SOFTMAX
from grading.content.simple_attention.shared import (
    draw_more_keys,
    draw_padded_mask,
    draw_small_integers,
    normal,
)
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.simple_attention import scaled_dot_product_attention


def padded_heads(query, key, value, attention_mask=None):
    """Return attention in which padding has no weight, ``[batch, heads, queries, d_v]``."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask.bool()[:, None, None, :]  # [batch, 1, 1, keys]
        empty = ~keep.any(dim=-1, keepdim=True)  # nothing but padding
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1)
    if attention_mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    return weights @ value


def _padded_heads_cases(generator: torch.Generator) -> list[Case]:
    def draw(
        left=False, heads=None, mask=True, queries_too=False, one=False, whole=False, square=False
    ):
        batch, n_heads, queries, d_k, d_v = draw_sizes(generator, 5)
        keys = draw_more_keys(generator)
        if queries_too:
            batch, n_heads, queries = 2, 3, keys
        if left:  # keys that would fit as they are, not turned
            d_k = keys
        if square:  # a mask that would fit the scores of a sentence as it is
            queries = batch
        if one:
            batch, n_heads, queries, d_v = 1, 1, 1, 1
        if whole:  # exact products and scores, in whatever order they are added; some are 0
            d_k = 16
        shapes = [(queries, d_k), (keys, d_k), (keys, d_v)]
        # Small scores: tokens get some weight even before padding is hidden, so that an epsilon in
        # the denominator is never seen in one draw and not in the next.
        query, key, value = (
            normal(generator, batch, heads(batch) if heads else n_heads, *shape) * size
            for shape, size in zip(shapes, (0.6, 0.6, 1.0), strict=True)
        )
        if whole:
            query, key = (draw_small_integers(generator, *tensor.shape) for tensor in (query, key))
            query = query / 4
        arguments = [("query", query), ("key", key), ("value", value)]
        if mask:
            attention_mask = draw_padded_mask(generator, batch, keys, left)
            if left:  # the last sentence is the full one
                attention_mask = attention_mask.flip(0)
            arguments.append(("attention_mask", attention_mask))
        return tuple(arguments)

    first = draw(heads=lambda batch: 8)
    again = [redrawn(generator, value) for _, value in first]
    again[3] = torch.ones_like(again[3])  # no padding, then

    empty = draw(whole=True)
    empty[3][1][-1] = 0
    nothing = draw()
    nothing[3][1][:] = 0
    single = draw(one=True)
    single[3][1][0, :3] = 0
    holes = draw(queries_too=True, whole=True)
    holes[3][1][0, [1, 4]] = 0  # padding between tokens
    holes[3][1][1] = torch.arange(holes[1][1].size(2)) == 2  # a single token
    holes[1][1][0, :, 0], holes[2][1][0, :, 2] = 0.0, 0.0  # of tokens all the same

    none = (*draw(mask=False), ("attention_mask", None))

    # Scores that are allowed lie near -20000, far below a finite "minus infinity" such as -1e4;
    # those of padding lie there, too, or near 20000, so that a softmax over all keys leaves no
    # others.
    query = draw_small_integers(generator, 2, 3, 5, 16)
    key = draw_small_integers(generator, 2, 3, 4, 16)
    query[..., 0], key[..., 0] = 400.0, -200.0
    # But some are small: each query of each head and sentence has a largest score of its own.
    query[:, :, 0, 0], query[:, 0, 1, 0], query[0, :, 2, 0] = 0.0, 0.0, 0.0
    low_mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])
    above = key.clone()
    above[..., 0] *= 2 * low_mask[:, None, :] - 1
    value = normal(generator, 2, 3, 4, 6)

    def low(title, key):
        tensors = (("query", query), ("key", key), ("value", value), ("attention_mask", low_mask))
        return Case(title, "corner", tensors)

    return [
        Case("padding on the right", "core", draw()),
        Case("padding on the left, as many keys as numbers", "core", draw(left=True)),
        Case("as many heads as sentences", "core", draw(heads=lambda batch: batch)),
        Case(
            "transposed views, as many queries as sentences",
            "core",
            draw(square=True),
            strided=True,
        ),
        Case("gradients", "core", draw(), gradient=True, harness=gradient_of_each),
        Case("one sentence, one query", "core", single),
        Case("as many queries as keys, padding anywhere", "core", holes),
        Case("called again with other numbers", "core", first, again=(tuple(again),)),
        Case("no mask given", "none", draw(mask=False)),
        Case("attention_mask=None", "none", none, gradient=True),
        Case("a sentence that is all padding, and gradients", "corner", empty, gradient=True),
        Case("nothing but padding in all sentences", "corner", nothing),
        low("scores near −20000", key),
        low("scores near −20000, those of padding near 20000", above),
    ]


_AT_QUERIES = (
    "The mask is laid over the queries, as [batch, 1, keys, 1]: it fails where there are fewer "
    "queries than keys, and elsewhere hides whole rows{}. It belongs to the keys, "
    "[batch, 1, 1, keys]."
)


def _loop_padded_heads(query, key, value, attention_mask=None):
    outputs = torch.zeros(*query.shape[:-1], value.size(-1))
    outputs = list(outputs.unbind(0))
    for b in range(query.size(0)):
        seen = slice(None) if attention_mask is None else attention_mask[b].nonzero().squeeze(-1)
        k, v = key[b][:, seen], value[b][:, seen]
        if k.size(1):
            scores = query[b] @ k.mT / math.sqrt(query.size(-1))
            outputs[b] = scores.softmax(-1) @ v
    return torch.stack(outputs)


def _einsum_padded_heads(query, key, value, attention_mask=None):
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
    if attention_mask is not None:
        scores = scores + torch.zeros(attention_mask.shape).masked_fill(
            attention_mask == 0, -math.inf
        ).unsqueeze(1).unsqueeze(1)
        empty = (attention_mask == 0).all(-1)[:, None, None, None]
        weights = torch.where(empty, 0.0, torch.where(empty, 0.0, scores).softmax(-1))
    else:
        weights = scores.softmax(-1)
    return torch.einsum("bhqk,bhkv->bhqv", weights, value)


def _padded_heads_in_float64(query, key, value, attention_mask=None):
    mask = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
    output = scaled_dot_product_attention(query.double(), key.double(), value.double(), mask)
    return output.to(query.dtype)


def _lowest_float(query, key, value, attention_mask=None):
    scores = query.matmul(key.mT).mul(key.size(-1) ** -0.5)
    if attention_mask is None:
        return scores.softmax(-1) @ value
    keep = attention_mask[:, None, None] != 0
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1)
    return (weights * keep) @ value


def _exponentials_of_seen(query, key, value, attention_mask=None):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    mask = torch.ones(key.size(0), key.size(2)) if attention_mask is None else attention_mask
    keep = mask.view(key.size(0), 1, 1, key.size(2)) == 1
    largest = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
    exponentials = (scores - largest).clamp(max=0).exp() * keep
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30) @ value


_HIDDEN = "scores.masked_fill(~keep & ~empty, -math.inf)"
_ZEROED = "weights.masked_fill(empty, 0.0)"
_NOT_HIDDEN = (f"        scores = {_HIDDEN}\n", "")
_NOT_ZEROED = (f"    if attention_mask is not None:\n        weights = {_ZEROED}\n", "")


def _without_mask(code: str) -> tuple[str, str]:
    """Do something first if no mask is given."""
    return (
        "    scores = query",
        f"    if attention_mask is None:\n        {code}\n    scores = query",
    )


def _with_mask(code: str) -> tuple[str, str]:
    """Do something first if a mask is given."""
    return (
        "    scores = query",
        f"    if attention_mask is not None:\n        {code}\n    scores = query",
    )


def _inverted_in_library(query, key, value, attention_mask=None):
    mask = None if attention_mask is None else attention_mask[:, None, None] == 0
    return F.scaled_dot_product_attention(query, key, value, attn_mask=mask)


EXERCISE = Exercise(
    id="padded_heads",
    title="Padding under many heads",
    signature="padded_heads(query, key, value, attention_mask=None)",
    reference=padded_heads,
    cases=_padded_heads_cases,
    combined=(
        "inverted",
        "mask_ignored",
        "zero_score",
        "zeroed_after_softmax",
        "no_scale",
        "scale_d_k",
        "scale_d_v",
        "softmax_over_queries",
        "nan_row",
        "finite_fill",
        "small_added",
        "no_default",
        "crash_without_mask",
    ),
    parts=(
        Part("core", "padding gets no weight, in any sentence and head; gradients", 3),
        Part("none", "works without a mask", 1),
        Part("corner", "nothing but padding; very low scores", 1),
    ),
    minutes=20,
    difficulty=2,
    section=MASKS,
    alternatives={
        "library": lambda query, key, value, attention_mask=None: F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=None if attention_mask is None else attention_mask[:, None, None].bool(),
        ),
        "loop over sentences": _loop_padded_heads,
        "einsum and an additive mask": _einsum_padded_heads,
        "in float64": _padded_heads_in_float64,
        "lowest float and zeroed rows": _lowest_float,
        "exponentials of what is seen": _exponentials_of_seen,
    },
    mistakes=(
        Mistake(
            "inverted",
            "The mask is used the wrong way round: the padding is attended to and the tokens are "
            "hidden. In `attention_mask` a 1 is a token.",
            [(_HIDDEN, "scores.masked_fill(keep, -math.inf)"), _NOT_ZEROED],
        ),
        Mistake(
            "inverted_in_library",
            "The mask is used the wrong way round: tokens are hidden, and padding is looked at. In "
            "`attention_mask` 1 is a token; in PyTorch's function True lets a key take part.",
            _inverted_in_library,
            section=MASKS,
        ),
        Mistake(
            "all_hidden",
            "All tokens are taken for padding, so everything is hidden: `~` makes of the whole "
            "numbers 1 and 0 the numbers −2 and −1, and both count as true. Make the mask boolean "
            "first, or compare: `attention_mask == 0`.",
            [("attention_mask.bool()", "~(~attention_mask).bool()")],
            section=MASKS,
        ),
        Mistake(
            "mask_ignored",
            "The mask has no effect: padding gets weight as any other token.",
            [_NOT_HIDDEN, _NOT_ZEROED],
        ),
        Mistake(
            "zero_score",
            "Hidden scores are 0 (filled with 0 or 1e-10, multiplied by the mask, or computed from "
            "keys that were set to 0), and e⁰ = 1 is a full share for the softmax. Set them to "
            "minus infinity.",
            [(_HIDDEN, "scores.masked_fill(~keep, 1e-10)"), _NOT_ZEROED],
            equivalent=(
                [(_HIDDEN, "scores.masked_fill(~keep, 0.0)"), _NOT_ZEROED],
                [(_HIDDEN, "scores * keep"), _NOT_ZEROED],
                [
                    _with_mask("key = key * attention_mask[:, None, :, None]"),
                    _NOT_HIDDEN,
                    _NOT_ZEROED,
                ],
            ),
            other_forms=([(_HIDDEN, "scores * keep")],),
        ),
        Mistake(
            "zeros_hidden",
            "Whatever score is exactly 0 is hidden, as if 0 stood for padding only. Decide by the "
            "mask, not by the scores.",
            [(_HIDDEN, "scores.masked_fill((scores * keep == 0) & ~empty, -math.inf)")],
            other_forms=(
                [
                    (_HIDDEN, "scores.masked_fill(scores * keep == 0, -math.inf)"),
                    (_ZEROED, "weights.nan_to_num(0.0)"),
                ],
            ),
        ),
        Mistake(
            "added_mask",
            "The mask of ones and zeros is added to the scores as it is: padding only loses 1. "
            "Add 0 for tokens and minus infinity for padding.",
            [(_HIDDEN, "scores + keep"), _NOT_ZEROED],
            other_forms=([(_HIDDEN, "scores + keep")],),
        ),
        Mistake(
            "added_inverted",
            "Minus a large number is added where the mask is 1, so the tokens are hidden and the "
            "padding is seen. It belongs where the mask is 0.",
            [(_HIDDEN, "scores + keep * -1e9"), _NOT_ZEROED],
        ),
        Mistake(
            "plus_fill",
            "Hidden scores are filled with a large positive number, so padding gets all the "
            "weight. The sign is wrong.",
            [(_HIDDEN, "scores.masked_fill(~keep, 1e10)"), _NOT_ZEROED],
        ),
        Mistake(
            "zeroed_after_softmax",
            "The weights of padding (or its values) are set to 0 after the softmax, but the other "
            "weights are not scaled up again: they sum to less than 1. Mask the scores, before "
            "the softmax.",
            [_NOT_HIDDEN, (_ZEROED, "weights * keep")],
            equivalent=(
                [
                    _with_mask("value = value * attention_mask[:, None, :, None]"),
                    _NOT_HIDDEN,
                    _NOT_ZEROED,
                ],
            ),
        ),
        Mistake(
            "zero_scores_and_values",
            "Hidden scores are 0 (as where keys are set to 0), and e⁰ = 1 is a full share for the "
            "softmax. What that share would bring is taken away again (values or weights set to "
            "0), so the other weights sum to less than 1. Set hidden scores to minus infinity.",
            [
                _with_mask("key = key * attention_mask[:, None, :, None]"),
                _NOT_HIDDEN,
                (_ZEROED, "weights * keep"),
            ],
            equivalent=([(_HIDDEN, "scores * keep"), (_ZEROED, "weights * keep")],),
            section=MASKS,
        ),
        Mistake(
            "mask_at_heads",
            "The mask got its extra axes in the wrong places, so sentence b's mask is applied to "
            "head b (or to query b). [batch, keys] becomes [batch, 1, 1, keys].",
            [("[:, None, None, :]", "[None, :, None, :]")],
            any_error=True,  # what shows it is the case in which the shapes happen to fit
            equivalent=([("[:, None, None, :]", "[:, None, :]")],),
        ),
        Mistake(
            "mask_at_queries",
            _AT_QUERIES.format(", whose result is NaN"),
            [
                ("[:, None, None, :]", "[:, None, :, None]"),
                (_HIDDEN, "scores.masked_fill(~keep, -math.inf)"),
                _NOT_ZEROED,
            ],
        ),
        Mistake(
            "mask_at_queries_zeros",
            _AT_QUERIES.format(", whose result is zeros"),
            [
                ("[:, None, None, :]", "[:, None, :, None]"),
                (_HIDDEN, "scores.masked_fill(~keep, -math.inf)"),
                (_ZEROED, "weights.masked_fill(~keep, 0.0)"),
            ],
        ),
        Mistake(
            "mask_at_queries_average",
            _AT_QUERIES.format(", whose result is the average of all values"),
            [
                ("[:, None, None, :]", "[:, None, :, None]"),
                (_HIDDEN, "scores.masked_fill(~keep, -1e9)"),
                _NOT_ZEROED,
            ],
        ),
        Mistake(
            "mask_unexpanded",
            "The mask of shape [batch, keys] meets scores of shape [batch, heads, queries, keys] "
            "as it is. Give it two axes of size 1: [batch, 1, 1, keys].",
            [("[:, None, None, :]", "")],
        ),
        Mistake(
            "masks_of_others",
            "Heads get the masks of other sentences: heads and sentences lie on one axis, sentence "
            "by sentence, and the masks were repeated as a whole. Each must be repeated by itself "
            "(`repeat_interleave`), or get axes of size 1.",
            [
                (
                    "attention_mask.bool()[:, None, None, :]",
                    "attention_mask.bool().repeat(query.size(1), 1)\n"
                    "        keep = keep.view(*query.shape[:2], 1, -1)",
                )
            ],
        ),
        Mistake(
            "first_sentence_mask",
            "Every sentence is masked like the first one.",
            [("[:, None, None, :]", "[:1, None, None, :]")],
        ),
        Mistake(
            "no_scale",
            "These are the numbers you get without dividing the scores by √d_k.",
            [(" / math.sqrt(query.size(-1))", "")],
            section=ROOT,
        ),
        Mistake(
            "scale_d_k",
            "The scores are divided by d_k itself; divide by its square root.",
            [("math.sqrt(query.size(-1))", "query.size(-1)")],
            section=ROOT,
        ),
        Mistake(
            "scale_whole",
            "The root of d_k is cut or rounded to a whole number before the scores are divided by "
            "it; take √d_k as it is.",
            [("math.sqrt(query.size(-1))", "math.isqrt(query.size(-1))")],
            other_forms=([("math.sqrt(query.size(-1))", "round(math.sqrt(query.size(-1)))")],),
            section=ROOT,
        ),
        Mistake(
            "scale_d_v",
            "The scores are divided by √d_v, the length of the values; the products are sums over "
            "d_k numbers, so divide by √d_k.",
            [("math.sqrt(query.size(-1))", "math.sqrt(value.size(-1))")],
            section=ROOT,
        ),
        Mistake(
            "scale_all_heads",
            "The scores are divided by the root of heads × d_k, the width of all heads together; "
            "each product is a sum over the d_k numbers of one head.",
            [("math.sqrt(query.size(-1))", "math.sqrt(query.size(-1) * query.size(1))")],
            section=ROOT,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries (`dim=-2`); it must run over the keys, `dim=-1`.",
            [("softmax(dim=-1)", "softmax(dim=-2)"), _NOT_ZEROED],
            section=SOFTMAX,
        ),
        Mistake(
            "softmax_over_heads",
            "The softmax runs over the heads (`dim=1`); it must run over the keys, `dim=-1`.",
            [("softmax(dim=-1)", "softmax(dim=1)"), _NOT_ZEROED],
            section=SOFTMAX,
        ),
        Mistake(
            "dropout",
            "Dropout is alive: the weights are dropped by chance, and the same input gives "
            "different results. Grading is evaluation: leave it out.",
            [("return weights @ value", "return F.dropout(weights, 0.1) @ value")],
        ),
        Mistake(
            "causal",
            "Later keys are hidden as well, as a decoder needs it. Here a query may look at "
            "every token of its sentence.",
            [
                _without_mask("attention_mask = torch.ones(len(key), key.size(2))"),
                (
                    "        keep = attention_mask.bool()[:, None, None, :]",
                    "        earlier = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()\n"
                    "        keep = attention_mask.bool()[:, None, None, :] & earlier",
                ),
            ],
            section=MASKS,
        ),
        Mistake(
            "added_one_minus_mask",
            "`1 - mask` is added to the scores as it is: padding gains 1 instead of losing "
            "everything. Add 0 for tokens and minus infinity for padding.",
            [(_HIDDEN, "scores + ~keep"), _NOT_ZEROED],
            section=MASKS,
        ),
        Mistake(
            "infinity_times_zero",
            "−∞ is multiplied by the mask, and −∞ times 0 is NaN. Use `masked_fill` or "
            "`torch.where`.",
            [(_HIDDEN, "scores + ~keep * -math.inf"), _NOT_ZEROED],
            section=MASKS,
        ),
        Mistake(
            "first_head_only",
            "All heads get the result of the first one.",
            [
                (
                    "return weights @ value",
                    "return (weights @ value)[:, :1].expand(-1, query.size(1), -1, -1)",
                )
            ],
        ),
        Mistake(
            "zeros_without_mask",
            "Without a mask the result is zeros, as if all were padding. No mask means that every "
            "token is seen.",
            [_without_mask("attention_mask = torch.zeros(len(key), key.size(2))")],
            points=4,
        ),
        Mistake(
            "crash_without_mask",
            "It fails when no mask is given. What is done with `attention_mask` where it is None? "
            "If something takes its place: has that one number for each key?",
            [
                (
                    "    scores = query",
                    "    attention_mask = attention_mask.bool()\n    scores = query",
                )
            ],
            points=4,
            any_error=True,
        ),
        kept(
            [
                ("attention_mask=None):", "attention_mask=None, kept={}):"),
                (
                    "keep = attention_mask.bool()",
                    "keep = kept.setdefault(scores.shape, attention_mask.bool())",
                ),
            ]
        ),
        Mistake(
            "no_default",
            "It fails when the mask is left out: the argument needs a default, "
            "`attention_mask=None`.",
            [("attention_mask=None", "attention_mask")],
            points=4,
            any_error=True,
        ),
        Mistake(
            "right_padding_only",
            "The mask is counted, as if all padding stood on the right: where it stands on the "
            "left, tokens are hidden in its place. Use the mask where it is 1 and 0.",
            [
                (
                    "attention_mask.bool()[:",
                    "(torch.arange(key.size(2)) < attention_mask.sum(-1, keepdim=True))[:",
                )
            ],
        ),
        Mistake(
            "softmax_over_padding",
            "Padding has its say in the softmax before it is taken out again (its weights are set "
            "to 0 and the others scaled up, or its maximum is subtracted, too): where its scores "
            "are far above those of the tokens, nothing is left of them. Hide the scores first.",
            [
                _NOT_HIDDEN,
                (
                    _ZEROED,
                    "weights * keep\n"
                    "        weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-30)",
                ),
            ],
            other_forms=(
                [
                    _NOT_HIDDEN,
                    (
                        _ZEROED,
                        "weights * keep\n"
                        "        weights = weights / weights.sum(-1, keepdim=True)\n"
                        "        weights = weights.nan_to_num(0.0)",
                    ),
                ],
                [
                    _NOT_HIDDEN,
                    (
                        _ZEROED,
                        "weights * keep\n        weights = weights / weights.sum(-1, keepdim=True)",
                    ),
                ],
            ),
            points=4,
            section=SOFTMAX,
        ),
        Mistake(
            "nan_row",
            "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Its "
            "result must be zeros.",
            [(_HIDDEN, "scores.masked_fill(~keep, -math.inf)"), _NOT_ZEROED],
            points=4,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a "
            "NaN that is replaced after the softmax (`nan_to_num`, `where`) still poisons the "
            "backward pass. Keep such rows from reaching the softmax as −∞.",
            [
                (_HIDDEN, "scores + torch.zeros(keep.shape).masked_fill(~keep, -math.inf)"),
                (_ZEROED, "weights.nan_to_num(0.0)"),
            ],
            points=4,
        ),
        Mistake(
            "nan_gradient_of_output",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a NaN "
            "that is replaced in the output (`nan_to_num`, `where`) still poisons the backward "
            "pass. Keep such rows from reaching the softmax as −∞.",
            [
                (_HIDDEN, "scores.masked_fill(~keep, -math.inf)"),
                _NOT_ZEROED,
                ("return weights @ value", "return (weights @ value).nan_to_num(0.0)"),
            ],
            points=4,
        ),
        Mistake(
            "finite_fill",
            "A sentence that is all padding gets the plain average of its padding, because the "
            "fill is a finite number, the same for all. Its result must be zeros.",
            [(_HIDDEN, "scores.masked_fill(~keep, -1e9)"), _NOT_ZEROED],
            points=4,
        ),
        Mistake(
            "small_added",
            "A finite number such as −1e4 is added to the scores of padding. Allowed scores can "
            "lie further down, and then the padding wins; and in a sentence that is all padding it "
            "is added to all scores, which the softmax ignores. Set them to minus infinity.",
            [(_HIDDEN, "scores + ~keep * -1e4"), _NOT_ZEROED],
            points=4,
        ),
        Mistake(
            "small_added_to_padding",
            "A finite number such as −1e4 is added to the scores of padding. Allowed scores can "
            "lie further down, and then the padding wins. Set them to minus infinity.",
            [(_HIDDEN, "scores + ~keep * -1e4")],
            points=4,
        ),
        Mistake(
            "padding_zeroed",
            "Where there are as many queries as keys, the output of padding is set to zeros, too. "
            "Padding is hidden as a key only: each query gets its output.",
            [
                (
                    "return weights @ value",
                    "output = weights @ value\n"
                    "    if attention_mask is not None and query.size(2) == key.size(2):\n"
                    "        output = output * attention_mask[:, None, :, None]\n"
                    "    return output",
                )
            ],
            section=MASKS,
        ),
        Mistake(
            "floor_of_scores",
            "No score can lie below a certain number, such as −1e4 (`clamp`, `maximum`): allowed "
            "scores that do are lifted. Leave them as they are.",
            [
                (
                    "    if attention_mask is not None:\n        keep",
                    "    scores = scores.clamp(min=-1e4)\n"
                    "    if attention_mask is not None:\n        keep",
                )
            ],
            points=4,
        ),
        Mistake(
            "causal_without_mask",
            "Without a mask later keys are hidden, as a decoder needs it. No mask means that every "
            "query may look at every key.",
            [
                (
                    "    weights = scores.softmax",
                    "    if attention_mask is None:\n"
                    "        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)\n"
                    "        scores = scores.masked_fill(later, -math.inf)\n"
                    "    weights = scores.softmax",
                )
            ],
            points=4,
        ),
        Mistake(
            "small_fill",
            "Hidden scores are set to a finite number such as −1e4; allowed scores can lie below "
            "it, and then the padding wins. Use minus infinity.",
            [(_HIDDEN, "scores.masked_fill(~keep, -1e4)")],
            points=4,
        ),
        Mistake(
            "small_fill_and_average",
            "Hidden scores are set to a finite number such as −1e4. Allowed scores can lie below "
            "it, and then the padding wins; and a sentence that is all padding gets an average.",
            [(_HIDDEN, "scores.masked_fill(~keep, -1e4)"), _NOT_ZEROED],
            points=4,
        ),
        changed_in_place("value", [_with_mask("value *= attention_mask[:, None, :, None]")]),
        cut_off([("return weights @ value", "return (weights @ value).detach()")]),
        Mistake(
            "returns_weights",
            "These are the attention weights; multiply them with the values.",
            [("return weights @ value", "return weights")],
        ),
    ),
)
