"""Bug hunt: three bugs in nine lines."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import normal
from grading.content.multi_head.packed_attention import (
    einsum_packed,
    fused_packed,
    loop_over_heads,
    nan_replaced_in_output,
    packed_variant,
)
from grading.content.multi_head.sections import COMMON, MASKS, OUTPUT, PACKED
from grading.content.multi_head.shared import draw_padding, draw_sizes, packed_state
from grading.exercise import Case, Exercise, Mistake, Part


def _repaired_variant(wrong: frozenset[str] = frozenset()):
    """The code of the exercise without its three bugs, and with those that are asked for."""
    attention = packed_variant(
        frozenset(
            {
                "still_by_head": "chunked_by_head",
                "still_merged": "merged_without_transpose",
                "split_without_transpose": "split_without_transpose",
                "interleaved": "interleaved",
            }.get(name, name)
            for name in wrong
        )
    )

    def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
        keep = is_padding if "still_inverted" in wrong else ~is_padding
        if "unmasked" in wrong:
            keep = None
        elif "mask_at_queries" in wrong:
            keep = keep[:, None, :, None].expand(-1, -1, -1, keep.size(1))
        else:
            across = keep[:, None, :, None] if "padding_queries" in wrong else True
            keep = keep[:, None, None, :] & across
        return attention(hidden_states, state, num_attention_heads, keep)

    return repaired_heads


_repaired_heads = _repaired_variant()


def _repaired_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, heads=None, batch=None, empty=False, **options):
        n_b, tokens, n_h, size = draw_sizes(generator)
        batch, heads = batch or n_b, heads or n_h
        is_padding = ~draw_padding(generator, batch, tokens)
        if empty:
            is_padding[-1] = True
        arguments = {
            "hidden_states": normal(generator, batch, tokens, heads * size),
            "is_padding": is_padding,
            "state": packed_state(generator, heads * size, heads * size),
            "num_attention_heads": heads,
        }
        return Case(title, part, tuple(arguments.items()), **options)

    return [
        case("a single head, padded sentences", "core", heads=1),
        case("a single head, other sizes", "core", heads=1),
        case("many heads", "heads"),
        case("six heads", "heads", heads=6),
        case("a batch of one", "heads", batch=1),
        case("a sentence that is all padding", "corner", empty=True),
        case("gradients", "corner", empty=True, gradient=True),
    ]


def _by_packed(implementation: Callable) -> Callable:
    def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
        return implementation(hidden_states, state, num_attention_heads, ~is_padding)

    return repaired_heads


def _with_own_weights(change: Callable[[Tensor, Tensor], Tensor]) -> Callable:
    """The repaired code with weights by hand: of scores and the mask of what may be seen."""

    def repaired_heads(hidden_states, is_padding, state, num_attention_heads):
        packed = F.linear(
            hidden_states, state["query_key_value.weight"], state["query_key_value.bias"]
        )
        query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(
            2, 0, 3, 1, 4
        )
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        weights = change(scores, ~is_padding[:, None, None, :])
        context = (weights @ value).transpose(1, 2).flatten(2)
        return F.linear(context, state["output.weight"], state["output.bias"])

    return repaired_heads


def _library_heads(hidden_states, is_padding, state, num_attention_heads):
    empty = is_padding.all(-1)
    output, _ = F.multi_head_attention_forward(
        *[hidden_states.transpose(0, 1)] * 3,
        hidden_states.size(-1),
        num_attention_heads,
        state["query_key_value.weight"],
        state["query_key_value.bias"],
        None,
        None,
        False,
        0.0,
        state["output.weight"],
        state["output.bias"],
        key_padding_mask=is_padding & ~empty[:, None],
        need_weights=False,
    )
    return torch.where(empty[:, None, None], state["output.bias"], output.transpose(0, 1))


EXERCISE = Exercise(
    id="repaired_heads",
    title="Bug hunt: three bugs in nine lines",
    signature="repaired_heads(hidden_states, is_padding, state, num_attention_heads)",
    reference=_repaired_heads,
    variant=_repaired_variant,
    cases=_repaired_cases,
    parts=(
        Part("core", "padding takes no part (seen with a single head)", 1),
        Part("heads", "many heads, with weights in the given layout", 1),
        Part("corner", "nothing but padding; gradients", 1),
    ),
    minutes=15,
    difficulty=2,
    section=COMMON,
    alternatives={
        "fused": _by_packed(fused_packed),
        "loop over heads": _by_packed(loop_over_heads),
        "einsum": _by_packed(einsum_packed),
        "by hand, lowest float": _with_own_weights(
            lambda scores, keep: (
                scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1) * keep
            )
        ),
        "PyTorch's function for all of it": _library_heads,
    },
    mistakes=(
        Mistake(
            "still_inverted",
            "One bug is still there: `is_padding` is True for padding, but in PyTorch's function "
            "True means that the key takes part.",
            section=MASKS,
        ),
        Mistake(
            "still_by_head",
            "One bug is still there: the packed numbers are cut into heads first and each head's "
            "piece into query, key and value, but the rows of the weight are all queries, then all "
            "keys, then all values.",
            points=1,
        ),
        Mistake(
            "still_merged",
            "One bug is still there: the heads are put together with `reshape` straight from "
            "[batch, heads, tokens, head_size], which mixes tokens. Exchange heads and tokens "
            "back first.",
            points=1,
        ),
        Mistake(
            "all_three",
            "All three bugs are still there: this is the given code.",
            _repaired_variant(frozenset({"still_inverted", "still_by_head", "still_merged"})),
        ),
        Mistake(
            "split_without_transpose",
            "The thirds are cut in the right order now, but into heads with `view` or `reshape` "
            "straight to [batch, heads, tokens, head_size], so that a head gets pieces of "
            "different tokens. Cut to [batch, tokens, heads, head_size], then `transpose(1, 2)`.",
            points=1,
            section=PACKED,
        ),
        Mistake(
            "interleaved",
            "The heads are cut as [head_size, heads], so head 0 gets numbers 0, heads, 2·heads … "
            "The numbers of a head lie next to each other.",
            points=1,
        ),
        Mistake(
            "split_interleaved",
            "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
            "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
            _repaired_variant(frozenset({"split_interleaved"})),
            points=1,
            section=COMMON,
        ),
        Mistake(
            "merged_interleaved",
            "The heads are put together as [head_size, heads]: W_O then reads numbers of all heads "
            "in turn. Head 0 comes first with all of its numbers.",
            _repaired_variant(frozenset({"merged_interleaved"})),
            points=1,
        ),
        Mistake(
            "roles_exchanged",
            "Query and key are exchanged: the first third of the rows are queries, the second "
            "keys.",
            _repaired_variant(frozenset({"roles_exchanged"})),
            section=PACKED,
        ),
        Mistake(
            "unmasked",
            "The mask is gone altogether: padding takes part like any token.",
            _repaired_variant(frozenset({"unmasked"})),
            section=MASKS,
        ),
        Mistake(
            "mask_at_queries",
            "The mask is laid over the queries, [batch, 1, tokens, 1]; it belongs to the keys, "
            "[batch, 1, 1, tokens].",
            _repaired_variant(frozenset({"mask_at_queries"})),
            section=MASKS,
        ),
        Mistake(
            "padding_queries",
            "Padding is hidden as a query, too, so that its rows see nothing. Only keys are "
            "hidden: [batch, 1, 1, tokens].",
            _repaired_variant(frozenset({"padding_queries"})),
            section=MASKS,
        ),
        Mistake(
            "added_mask",
            "The mask is added to the scores as ones and zeros, so padding is hardly hidden. Pass "
            "it as booleans, or as 0 and −∞.",
            _with_own_weights(lambda scores, keep: (scores + keep).softmax(-1)),
            equivalent=(
                _with_own_weights(lambda scores, keep: (scores - (~keep).float()).softmax(-1)),
            ),
            section=MASKS,
        ),
        Mistake(
            "zeroed_after_softmax",
            "The weights of padding are set to 0 after the softmax, so the rows sum to less than "
            "1. Mask the scores, before the softmax.",
            _with_own_weights(lambda scores, keep: scores.softmax(-1) * keep),
            section=MASKS,
        ),
        Mistake(
            "scaled_twice",
            "The scores are divided by head_size: by its root twice, once by hand and once by "
            "PyTorch's function, or by head_size itself. Once by the root is right.",
            _repaired_variant(frozenset({"scale_head_size"})),
        ),
        Mistake(
            "no_scale",
            "The scale is gone: PyTorch's function divides by √head_size by itself; by hand you "
            "must do it.",
            _repaired_variant(frozenset({"no_scale"})),
        ),
        Mistake(
            "scale_all_heads",
            "The scores are divided by √hidden, the width of all heads together; divide by "
            "√head_size.",
            _repaired_variant(frozenset({"scale_all_heads"})),
            points=1,
        ),
        Mistake(
            "one_wide_head",
            "This is attention with a single head as wide as all together: the number of heads "
            "has no effect.",
            lambda hidden_states, is_padding, state, num_attention_heads: _repaired_heads(
                hidden_states, is_padding, state, 1
            ),
            points=1,
        ),
        Mistake(
            "no_output",
            "The output projection was lost in the repair.",
            _repaired_variant(frozenset({"no_output"})),
            section=OUTPUT,
        ),
        Mistake(
            "causal",
            "Later tokens are hidden as well (`is_causal`, `tril`). Only padding is to be hidden.",
            _repaired_variant(frozenset({"causal"})),
            section=MASKS,
        ),
        Mistake(
            "causal_instead",
            "Later tokens are hidden in place of padding (`is_causal`, `tril`). Padding is to be "
            "hidden, and nothing else.",
            _repaired_variant(frozenset({"causal", "unmasked"})),
            section=MASKS,
        ),
        Mistake(
            "nan_row",
            "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Every "
            "head must give zeros, as PyTorch's function does.",
            _repaired_variant(frozenset({"nan_row"})),
            points=2,
            section=MASKS,
        ),
        Mistake(
            "finite_fill",
            "A sentence that is all padding gets the plain average of its padding, because the "
            "fill is a finite number, the same for all. Every head must give zeros.",
            _repaired_variant(frozenset({"finite_fill"})),
            points=2,
            section=MASKS,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a NaN "
            "that is replaced afterwards (`nan_to_num`, `where`) still poisons the backward pass.",
            _repaired_variant(frozenset({"nan_gradient"})),
            equivalent=(_by_packed(nan_replaced_in_output),),
            points=2,
            section=MASKS,
        ),
        Mistake(
            "small_added",
            "A sentence that is all padding is looked at as if it were none: a finite number such "
            "as −1e4 is added to all scores of a row, and softmax ignores what is added to all. "
            "Every head must give zeros.",
            _repaired_variant(frozenset({"small_added"})),
            points=2,
            section=MASKS,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            lambda *arguments: _repaired_heads(*arguments).detach(),
            points=2,
        ),
    ),
)
