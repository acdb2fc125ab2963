"""The known mistakes of `padded_heads`."""

from __future__ import annotations

import torch.nn.functional as F

from grading.content.common import changed_in_place, cut_off, kept_value, zeros_hidden
from grading.content.simple_attention.sections import MASKS, ROOT, SOFTMAX
from grading.exercise import Mistake

_AT_QUERIES = (
    "The mask is laid over the queries, as [batch, 1, keys, 1]: it fails where there are fewer "
    "queries than keys, and elsewhere hides whole rows{}. It belongs to the keys, "
    "[batch, 1, 1, keys]."
)


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


COMBINED = (
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
)

MISTAKES = (
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
    zeros_hidden(
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
        "−∞ is multiplied by the mask, and −∞ times 0 is NaN. Use `masked_fill` or `torch.where`.",
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
    kept_value("attention_mask=None", "attention_mask.bool()", "scores.shape"),
    Mistake(
        "no_default",
        "It fails when the mask is left out: the argument needs a default, `attention_mask=None`.",
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
)
