"""Assignment 2, multi-head attention: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Batch, tokens, heads and head size are pairwise different, unless a case is there because two of
them are equal; weights and biases are drawn anew, so large that the scores have a standard
deviation of about 1.5. `hidden` is heads · head size in most cases: a square matrix that is used
the wrong way round raises no error, it gives other numbers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from grading import check
from grading.content import multi_head_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part

ASSIGNMENT = "02_multi_head"

_PACKED = "“All heads in one product” in chapter 2"
_MASKS = "“Masks of every form” in chapter 2"
_SIZE = "“How large is a head?” in chapter 2"
_OUTPUT = "“What W_O is for” in chapter 2"
_CROSS = "“Self- and cross-attention” in chapter 2"
_COMMON = "“Common mistakes” in chapter 2"
_ONE_HEAD = "“One head: three projections, then attention” in chapter 2"
_UNSEEN = "“What outputs cannot show” in chapter 2"

State = dict[str, Tensor]


def _sizes(generator: torch.Generator) -> list[int]:
    """Draw batch, tokens, heads and head size: 2, 3, 4 and 5 in any order, but never two tokens.

    A padded sentence of two has one token left, whose weight is 1 whatever the scores are.
    """
    batch, tokens, heads, size = (torch.randperm(4, generator=generator) + 2).tolist()
    return [tokens, batch, heads, size] if tokens == 2 else [batch, tokens, heads, size]


def _normal(generator: torch.Generator, *shape: int, size: float = 1.0) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


def _linear(generator: torch.Generator, name: str, out: int, into: int, size: float = 1.2) -> State:
    return {
        f"{name}.weight": _normal(generator, out, into, size=size / math.sqrt(into)),
        f"{name}.bias": _normal(generator, out, size=0.6),
    }


def _packed_state(generator: torch.Generator, hidden: int, width: int) -> State:
    return {
        **_linear(generator, "query_key_value", 3 * width, hidden),
        **_linear(generator, "output", hidden, width),
    }


def _may_look(generator: torch.Generator, *shape: int) -> Tensor:
    """Draw a boolean mask in which each row hides something and shows something."""
    order = torch.rand(*shape, generator=generator).argsort(dim=-1)
    shown = torch.randint(1, shape[-1], (*shape[:-1], 1), generator=generator)
    return order < shown


def _tokens_first(generator: torch.Generator, batch: int, tokens: int) -> Tensor:
    """True for two tokens or more, False for padding behind them; no sentence is full."""
    lengths = torch.randint(2, tokens, (batch, 1), generator=generator)
    return torch.arange(tokens) < lengths


def _weights(scores: Tensor, keep: Tensor | None) -> Tensor:
    """Softmax over what may be seen; zeros in a row that may see nothing."""
    if keep is None:
        return scores.softmax(-1)
    empty = ~keep.any(-1, keepdim=True)
    return scores.masked_fill(~keep & ~empty, -math.inf).softmax(-1).masked_fill(empty, 0.0)


_OF_MASKS = {"zero_score", "nan_row", "nan_gradient", "finite_fill", "added_mask", "small_added"}


def _wrong_weights(scores: Tensor, keep: Tensor | None, wrong: frozenset[str]) -> Tensor:
    """The weights, with those of the usual mistakes of masks and softmax that are asked for."""
    if "mask_ignored" in wrong:
        keep = None
    if "inverted" in wrong and keep is not None:
        keep = ~keep
    if "causal" in wrong:
        square = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        keep = square if keep is None else keep & square
    axis = -2 if "softmax_over_queries" in wrong else 1 if "softmax_over_heads" in wrong else -1
    if keep is None:
        weights = scores.softmax(axis)
    elif "zeroed_after_softmax" in wrong:
        weights = scores.softmax(axis) * keep
    elif axis == -1 and not wrong & _OF_MASKS:
        weights = _weights(scores, keep)
    elif axis != -1:
        empty = ~keep.any(-1, keepdim=True)
        weights = scores.masked_fill(~keep & ~empty, -math.inf).softmax(axis)
        if "finite_fill" in wrong:
            weights = scores.masked_fill(~keep, -1e9).softmax(axis)
    elif "added_mask" in wrong:
        weights = (scores + keep).softmax(axis)
    elif "small_added" in wrong:
        weights = (scores + ~keep * -1e4).softmax(axis)
    else:
        fill = 0.0 if "zero_score" in wrong else -1e9 if "finite_fill" in wrong else -math.inf
        weights = scores.masked_fill(~keep, fill).softmax(axis)
        if "nan_gradient" in wrong:  # `masked_fill` would keep the NaN from the gradient
            added = torch.zeros(keep.shape).masked_fill(~keep, -math.inf)
            weights = (scores + added).softmax(-1).nan_to_num(0.0)
    weights = F.dropout(weights, 0.1) if "dropout" in wrong else weights
    return weights.softmax(-1) if "double_softmax" in wrong else weights


def _softmax_mistakes(variant: Callable[[frozenset[str]], Callable]) -> tuple[Mistake, ...]:
    """Mistakes of scale and softmax that more than one exercise can contain."""
    return (
        Mistake(
            "no_scale",
            "These are the numbers you get without dividing the scores by √head_size.",
            variant(frozenset({"no_scale"})),
            section=_COMMON,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries (`dim=-2`); it must run over the keys, `dim=-1`.",
            variant(frozenset({"softmax_over_queries"})),
            section=_ONE_HEAD,
        ),
        Mistake(
            "softmax_over_heads",
            "The softmax runs over the heads (`dim=1`), so that heads which should not know of "
            "each other compete; it must run over the keys, `dim=-1`.",
            variant(frozenset({"softmax_over_heads"})),
            section=_PACKED,
        ),
        Mistake(
            "softmax_over_queries_finite",
            "The softmax runs over the queries (`dim=-2`), of scores in which a finite number "
            "hides; it must run over the keys, `dim=-1`, and the number must be minus infinity.",
            variant(frozenset({"softmax_over_queries", "finite_fill"})),
            section=_ONE_HEAD,
        ),
        Mistake(
            "softmax_over_heads_finite",
            "The softmax runs over the heads (`dim=1`), of scores in which a finite number hides; "
            "it must run over the keys, `dim=-1`, and the number must be minus infinity.",
            variant(frozenset({"softmax_over_heads", "finite_fill"})),
            section=_PACKED,
        ),
    )


# ---- Exercise 1: packed_attention --------------------------------------------------------------


def _four_dimensions(mask: Tensor, batch: int) -> Tensor:
    if mask.dim() == 2:
        return mask[:, None, None] if mask.size(0) == batch else mask[None, None]
    return mask[:, None] if mask.dim() == 3 else mask


def _packed_variant(
    wrong: frozenset[str] = frozenset(),
    expand: Callable[[Tensor, int], Tensor] = _four_dimensions,
):
    """Multi-head attention from packed weights, with the mistakes that are asked for."""

    def split(packed: Tensor, heads: int, size: int) -> Tensor:
        batch, tokens, _ = packed.shape
        if "split_without_transpose" in wrong:
            return packed.reshape(batch, heads, tokens, size)
        if wrong & {"interleaved", "split_interleaved"}:
            return packed.reshape(batch, tokens, size, heads).permute(0, 3, 1, 2)
        return packed.reshape(batch, tokens, heads, size).transpose(1, 2)

    def packed_attention(hidden_states, state, num_attention_heads, mask=None):
        batch, tokens, hidden = hidden_states.shape
        heads = num_attention_heads
        bias = state["query_key_value.bias"]
        if "no_projection_bias" in wrong:
            bias = torch.zeros_like(bias)
        packed = F.linear(hidden_states, state["query_key_value.weight"], bias)
        width = packed.size(-1) // 3
        size = (hidden if "fixed_head_size" in wrong else width) // heads
        if "chunked_by_head" in wrong:
            by_head = packed.unflatten(-1, (heads, 3 * size)).transpose(1, 2)
            query, key, value = by_head.chunk(3, dim=-1)
        else:
            query, key, value = (split(part, heads, size) for part in packed.chunk(3, dim=-1))
        if "roles_exchanged" in wrong:
            query, key = key, query
        scale = math.sqrt(size)
        for name, other in (
            ("no_scale", 1.0),
            ("scale_head_size", size),
            ("scale_all_heads", math.sqrt(width)),
            ("scale_heads", math.sqrt(heads)),
            ("scale_hidden_per_head", math.sqrt(hidden / heads)),
        ):
            scale = other if name in wrong else scale
        scores = query @ key.transpose(-2, -1) / scale
        keep = None if mask is None else expand(mask, batch)
        if "padding_only" in wrong and mask is not None and mask.shape != (batch, tokens):
            raise RuntimeError("not a mask [batch, key]")
        context = _wrong_weights(scores, keep, wrong) @ value  # [batch, heads, tokens, size]
        if "merged_without_transpose" not in wrong:
            context = context.transpose(1, 2)
            if wrong & {"interleaved", "merged_interleaved"}:
                context = context.transpose(2, 3)
        context = context.reshape(batch, tokens, width)
        if "no_output" in wrong:
            return context
        matrix, bias = state["output.weight"], state["output.bias"]
        if "output_transposed" in wrong:
            if hidden != width:  # an error that is not taken for a sign of anything
                raise LookupError("The transposed matrix does not fit.")
            matrix = matrix.T
        return F.linear(context, matrix, None if "no_output_bias" in wrong else bias)

    return packed_attention


_packed_attention = _packed_variant()


def _packed_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, mask=None, batch=None, beside=0, as_heads=False, **options):
        n_b, tokens, heads, size = _sizes(generator)
        batch = batch or n_b
        heads = batch if as_heads else heads
        hidden = heads * size + beside
        arguments = [
            ("hidden_states", _normal(generator, batch, tokens, hidden)),
            ("state", _packed_state(generator, hidden, heads * size)),
            ("num_attention_heads", heads),
        ]
        if mask is not None:
            arguments.append(("mask", mask(batch, heads, tokens)))
        return Case(title, part, tuple(arguments), **options)

    def padding(batch, heads, tokens):
        return _tokens_first(generator, batch, tokens)

    def by_token(batch, heads, tokens):
        return _may_look(generator, tokens, tokens)

    def by_sentence(batch, heads, tokens):
        return _may_look(generator, batch, tokens, tokens)

    def by_head(batch, heads, tokens):
        return _may_look(generator, batch, heads, tokens, tokens)

    def empty_sentence(batch, heads, tokens):
        mask = _tokens_first(generator, batch, tokens)
        mask[-1] = False
        return mask

    def empty_query(batch, heads, tokens):
        mask = _may_look(generator, batch, heads, tokens, tokens)
        mask[0, -1, -1] = False
        return mask

    return [
        case("no mask", "core"),
        case("a mask [batch, key]", "core", padding),
        case("a batch of one, with a mask", "core", padding, batch=1),
        case("tensors that are transposed views", "core", padding, strided=True),
        case("a mask [query, key]", "masks", by_token),
        case("a mask [batch, query, key]", "masks", by_sentence),
        case("the same, as many heads as sentences", "masks", by_sentence, as_heads=True),
        case("a mask [batch, heads, query, key]", "masks", by_head),
        case("all heads together narrower than hidden", "sizes", beside=5),
        case("all heads together wider than hidden", "sizes", padding, beside=-1),
        case("a sentence that is all padding", "corner", empty_sentence),
        case("a query that may see nothing in one head", "corner", empty_query),
        case("gradients", "corner", empty_query, gradient=True),
    ]


def _loop_over_heads(hidden_states, state, num_attention_heads, mask=None):
    batch = hidden_states.size(0)
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    size = weight.size(0) // 3 // num_attention_heads
    result = state["output.bias"].expand(hidden_states.shape)
    keep = None
    if mask is not None:
        shape = (batch, num_attention_heads, hidden_states.size(1), hidden_states.size(1))
        keep = _four_dimensions(mask, batch).expand(shape)
    for head in range(num_attention_heads):
        query, key, value = (
            hidden_states @ part[head * size : (head + 1) * size].T
            + offset[head * size : (head + 1) * size]
            for part, offset in zip(weight.chunk(3), bias.chunk(3), strict=True)
        )
        scores = query @ key.transpose(1, 2) / size**0.5
        context = _weights(scores, None if keep is None else keep[:, head]) @ value
        written = context @ state["output.weight"][:, head * size : (head + 1) * size].T
        result = result + written
    return result


def _einsum_packed(hidden_states, state, num_attention_heads, mask=None):
    sizes = (3, num_attention_heads, -1)
    weight = state["query_key_value.weight"].unflatten(0, sizes)
    bias = state["query_key_value.bias"].unflatten(0, sizes)
    query, key, value = (
        torch.einsum("bti,phdi->pbhtd", hidden_states, weight) + bias[:, None, :, None]
    )
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
    keep = None if mask is None else _four_dimensions(mask, len(hidden_states)).expand_as(scores)
    matrix = state["output.weight"].unflatten(1, (num_attention_heads, -1))
    context = torch.einsum("bhqk,bhkd->bhqd", _weights(scores, keep), value)
    return torch.einsum("bhqd,ohd->bqo", context, matrix) + state["output.bias"]


def _fused_packed(hidden_states, state, num_attention_heads, mask=None):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    parts = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    mask = None if mask is None else _four_dimensions(mask, len(hidden_states))
    context = F.scaled_dot_product_attention(*parts, attn_mask=mask).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])


def _batches_of_heads(hidden_states, state, num_attention_heads, mask=None):
    """Heads and sentences on one axis, as PyTorch's own module has them, and an added mask."""
    batch, tokens, _ = hidden_states.shape
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = (
        part.transpose(0, 1).reshape(tokens, batch * num_attention_heads, -1).transpose(0, 1)
        for part in packed.chunk(3, -1)
    )
    added = torch.zeros(batch, num_attention_heads, tokens, tokens)
    if mask is not None:
        added = added.masked_fill(~_four_dimensions(mask, batch), torch.finfo(torch.float32).min)
    added = added.flatten(0, 1)
    weights = torch.baddbmm(added, query / query.size(-1) ** 0.5, key.transpose(1, 2)).softmax(-1)
    weights = weights * (added.amax(-1, keepdim=True) == 0)
    context = torch.bmm(weights, value).transpose(0, 1).reshape(tokens, batch, -1).transpose(0, 1)
    return context @ state["output.weight"].T + state["output.bias"]


def _in_double(hidden_states, state, num_attention_heads, mask=None):
    state = {name: tensor.double() for name, tensor in state.items()}
    return _fused_packed(hidden_states.double(), state, num_attention_heads, mask).float()


def _changed_in_place(hidden_states, state, num_attention_heads, mask=None):
    size = state["output.weight"].size(1) // num_attention_heads
    state["query_key_value.weight"][: num_attention_heads * size] *= size**-0.5
    state["query_key_value.bias"][: num_attention_heads * size] *= size**-0.5
    return _packed_variant(frozenset({"no_scale"}))(hidden_states, state, num_attention_heads, mask)


def _no_part_of_bias(place: int):
    def implementation(hidden_states, state, num_attention_heads, mask=None):
        bias = state["query_key_value.bias"].clone()
        bias.chunk(3)[place].zero_()
        state = {**state, "query_key_value.bias": bias}
        return _packed_attention(hidden_states, state, num_attention_heads, mask)

    return implementation


def _scale_hidden(hidden_states, state, num_attention_heads, mask=None):
    hidden, width = hidden_states.size(-1), state["output.weight"].size(1)
    rows = torch.ones(3 * width, 1)
    rows[:width] = math.sqrt(width / num_attention_heads / hidden)
    state = {
        **state,
        "query_key_value.weight": state["query_key_value.weight"] * rows,
        "query_key_value.bias": state["query_key_value.bias"] * rows[:, 0],
    }
    return _packed_attention(hidden_states, state, num_attention_heads, mask)


def _first_head_for_all(hidden_states, state, num_attention_heads, mask=None):
    width = state["output.weight"].size(1)
    size = width // num_attention_heads
    rows = torch.arange(3).repeat_interleave(width) * width + torch.arange(size).repeat(
        3 * num_attention_heads
    )
    state = {
        **state,
        "query_key_value.weight": state["query_key_value.weight"][rows],
        "query_key_value.bias": state["query_key_value.bias"][rows],
    }
    return _packed_attention(hidden_states, state, num_attention_heads, mask)


def _first_head_alone(hidden_states, state, num_attention_heads, mask=None):
    matrix = state["output.weight"].clone()
    matrix[:, matrix.size(1) // num_attention_heads :] = 0.0
    state = {**state, "output.weight": matrix}
    return _packed_attention(hidden_states, state, num_attention_heads, mask)


def _one_wide_head(hidden_states, state, num_attention_heads, mask=None):
    mask = None if mask is None else _four_dimensions(mask, len(hidden_states))[:, :1]
    return _packed_attention(hidden_states, state, 1, mask)


def _in_order(state: State, thirds: tuple[int, int, int]) -> State:
    """The packed weight and bias with their thirds in another order."""
    names = ("query_key_value.weight", "query_key_value.bias")
    new = {name: torch.cat([state[name].chunk(3)[i] for i in thirds]) for name in names}
    return {**state, **new}


def _nan_replaced_in_output(hidden_states, state, num_attention_heads, mask=None):
    """The NaN is replaced where the heads meet; the gradient of the values has met it already."""
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~_four_dimensions(mask, len(hidden_states)), -math.inf)
    context = (scores.softmax(-1) @ value).nan_to_num(0.0).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])


def _raises(*arguments):
    raise RuntimeError("This does not run.")


def _crash_without_mask(hidden_states, state, num_attention_heads, mask=None):
    mask = mask[:]
    return _packed_attention(hidden_states, state, num_attention_heads, mask)


def _at_queries(mask: Tensor, batch: int) -> Tensor:
    if mask.dim() == 2 and mask.size(0) == batch:
        return mask[:, None, :, None].expand(-1, -1, -1, mask.size(1))
    return _four_dimensions(mask, batch)


def _zeros_behind_output(hidden_states, state, num_attention_heads, mask=None):
    """The result of a query that sees nothing in any head is zeros, also without the bias."""
    result = _packed_attention(hidden_states, state, num_attention_heads, mask)
    if mask is None:
        return result
    sees = _four_dimensions(mask, len(hidden_states)).any(-1).any(1)  # [batch, queries or 1]
    return result.masked_fill(~sees.unsqueeze(-1), 0.0)


def _no_four(mask: Tensor, batch: int) -> Tensor:
    if mask.dim() == 4:
        raise RuntimeError("four dimensions")
    return _four_dimensions(mask, batch)


def _no_three(mask: Tensor, batch: int) -> Tensor:
    if mask.dim() == 3:
        raise RuntimeError("three dimensions")
    return _four_dimensions(mask, batch)


PACKED_ATTENTION = Exercise(
    id="packed_attention",
    title="Packed weights, masks of every form",
    signature="packed_attention(hidden_states, state, num_attention_heads, mask=None)",
    reference=_packed_attention,
    variant=_packed_variant,
    cases=_packed_cases,
    parts=(
        Part("core", "self-attention of many heads; no mask, and a mask [batch, key]", 2),
        Part("masks", "the other three forms of a mask", 1),
        Part("sizes", "heads of any size, not only hidden / heads", 1),
        Part("corner", "a query that may see nothing; gradients", 1),
    ),
    minutes=25,
    difficulty=2,
    section=_PACKED,
    alternatives={
        "loop over heads, results added up": _loop_over_heads,
        "einsum": _einsum_packed,
        "fused": _fused_packed,
        "heads in the batch, added mask": _batches_of_heads,
        "in float64": _in_double,
    },
    mistakes=(
        *_softmax_mistakes(_packed_variant),
        Mistake(
            "scale_head_size",
            "The scores are divided by head_size itself; divide by its square root.",
            _packed_variant(frozenset({"scale_head_size"})),
            section=_COMMON,
        ),
        Mistake(
            "scale_all_heads",
            "The scores are divided by the root of heads × head_size, the width of all heads "
            "together; each product is a sum over the head_size numbers of one head.",
            _packed_variant(frozenset({"scale_all_heads"})),
            section=_COMMON,
        ),
        Mistake(
            "scale_heads",
            "The scores are divided by the root of the number of heads; each product is a sum over "
            "the head_size numbers of one head, so divide by √head_size.",
            _packed_variant(frozenset({"scale_heads"})),
            section=_COMMON,
        ),
        Mistake(
            "scale_hidden",
            "The scores are divided by √hidden, `hidden_states.size(-1)`; each product is a sum "
            "over the head_size numbers of one head, so divide by √head_size.",
            _scale_hidden,
            section=_COMMON,
        ),
        Mistake(
            "scale_hidden_per_head",
            "The scores are divided by the root of hidden / heads. That is the head size only if "
            "all heads together are as wide as hidden_states; take it from the packed weight.",
            _packed_variant(frozenset({"scale_hidden_per_head"})),
            points=4,
            section=_SIZE,
        ),
        Mistake(
            "split_without_transpose",
            "The heads are cut with `view` or `reshape` straight to [batch, heads, tokens, "
            "head_size]: a head gets pieces of different tokens. Cut to [batch, tokens, heads, "
            "head_size] first, then exchange tokens and heads with `transpose(1, 2)`.",
        ),
        Mistake(
            "merged_without_transpose",
            "The heads are put together with `reshape` straight from [batch, heads, tokens, "
            "head_size], which mixes tokens. Exchange heads and tokens back first, with "
            "`transpose(1, 2)`.",
        ),
        Mistake(
            "interleaved",
            "Heads are cut as [head_size, heads], so head 0 gets numbers 0, heads, 2·heads … The "
            "numbers of a head lie next to each other: cut as [heads, head_size].",
            _packed_variant(frozenset({"interleaved"})),
        ),
        Mistake(
            "split_interleaved",
            "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
            "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
            _packed_variant(frozenset({"split_interleaved"})),
            section=_COMMON,
        ),
        Mistake(
            "merged_interleaved",
            "The heads are cut rightly but put together as [head_size, heads]: W_O then reads "
            "numbers of all heads in turn. Head 0 comes first with all of its numbers.",
            _packed_variant(frozenset({"merged_interleaved"})),
        ),
        Mistake(
            "chunked_by_head",
            "The packed numbers are cut into heads first and each head's piece into query, key and "
            "value. In this layout all queries come first, then all keys, then all values.",
        ),
        Mistake(
            "roles_exchanged",
            "Query and key are exchanged: the first third of the rows are queries, the second "
            "keys, and row i of the scores belongs to query i.",
            _packed_variant(frozenset({"roles_exchanged"})),
        ),
        Mistake(
            "values_from_keys",
            "The thirds are read as query, value, key; their order is query, key, value.",
            lambda hidden_states, state, num_attention_heads, mask=None: _packed_attention(
                hidden_states, _in_order(state, (0, 2, 1)), num_attention_heads, mask
            ),
        ),
        Mistake(
            "values_first",
            "The thirds are read as value, key, query; their order is query, key, value.",
            lambda hidden_states, state, num_attention_heads, mask=None: _packed_attention(
                hidden_states, _in_order(state, (2, 1, 0)), num_attention_heads, mask
            ),
        ),
        Mistake(
            "no_output",
            "The heads are put together, but W_O is missing: nothing mixes what they bring.",
            _packed_variant(frozenset({"no_output"})),
            section=_OUTPUT,
        ),
        Mistake(
            "output_transposed",
            "W_O is used the wrong way round: a weight is [out, in], so it is `context @ "
            "weight.T`, or `F.linear`. Where it is square, no shape tells you.",
            _packed_variant(frozenset({"output_transposed"})),
            section=_ONE_HEAD,
        ),
        Mistake(
            "no_output_bias",
            "The bias of the output projection is missing.",
            _packed_variant(frozenset({"no_output_bias"})),
            section=_OUTPUT,
        ),
        Mistake(
            "no_projection_bias",
            "The bias of the packed projection is not added.",
            _packed_variant(frozenset({"no_projection_bias"})),
        ),
        Mistake(
            "no_query_bias",
            "The bias is missing from the queries. (That of the keys could be missing, too: no "
            "output shows it.)",
            _no_part_of_bias(0),
            section=_UNSEEN,
        ),
        Mistake(
            "no_value_bias",
            "The bias is missing from the values.",
            _no_part_of_bias(2),
            section=_UNSEEN,
        ),
        Mistake(
            "first_head_for_all",
            "All heads get the query, key and value of head 0.",
            _first_head_for_all,
        ),
        Mistake(
            "first_head_alone",
            "Only what head 0 brings is in the result; the other heads are missing.",
            _first_head_alone,
        ),
        Mistake(
            "one_wide_head",
            "This is attention with a single head as wide as all together; the number of heads "
            "has no effect.",
            _one_wide_head,
        ),
        Mistake(
            "mask_ignored",
            "The mask has no effect: hidden keys get weight as any other.",
            _packed_variant(frozenset({"mask_ignored"})),
            section=_MASKS,
        ),
        Mistake(
            "inverted",
            "The mask is used the wrong way round: in this exercise True means that the query "
            "may look at the key. (In `nn.MultiheadAttention` it means the opposite.)",
            section=_MASKS,
        ),
        Mistake(
            "zero_score",
            "Hidden scores are 0 (filled with 0 or multiplied by the mask), and e⁰ = 1 is a full "
            "share for the softmax. Set them to minus infinity.",
            _packed_variant(frozenset({"zero_score"})),
            section=_MASKS,
        ),
        Mistake(
            "zeroed_after_softmax",
            "Hidden weights are set to 0 after the softmax, so the rows sum to less than 1. Mask "
            "the scores, before the softmax.",
            _packed_variant(frozenset({"zeroed_after_softmax"})),
            section=_MASKS,
        ),
        Mistake(
            "mask_at_queries",
            "A mask [batch, key] is laid over the queries, as [batch, 1, key, 1]; it belongs to "
            "the keys, [batch, 1, 1, key].",
            _packed_variant(expand=_at_queries),
            section=_MASKS,
        ),
        Mistake(
            "causal",
            "Later keys are hidden as well, as a decoder needs it. Here the mask alone says who "
            "may look at whom.",
            _packed_variant(frozenset({"causal"})),
            section=_MASKS,
        ),
        Mistake(
            "double_softmax",
            "The softmax is applied twice, which flattens the weights.",
            _packed_variant(frozenset({"double_softmax"})),
        ),
        Mistake(
            "added_mask",
            "The mask is added to the scores as ones and zeros, so that what is hidden only loses "
            "1. Hide with minus infinity.",
            _packed_variant(frozenset({"added_mask"})),
            section=_MASKS,
        ),
        Mistake(
            "residual",
            "The input is added to the result. That is a residual connection, which a later "
            "chapter puts around attention; here only what attention brings is asked for.",
            lambda hidden_states, *others: (
                hidden_states + _packed_attention(hidden_states, *others)
            ),
            section=_OUTPUT,
        ),
        Mistake(
            "error_everywhere",
            "It ends with an error in every case, with and without a mask: read the error of the "
            "first case.",
            _raises,
            any_error=True,
        ),
        Mistake(
            "crash_without_mask",
            "It fails when no mask is given: test `mask is not None` before using it.",
            _crash_without_mask,
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "two_as_queries",
            "It fails on a mask [batch, key] with more than one sentence. Two dimensions can mean "
            "two things: if the first is the batch, make it [batch, 1, 1, key].",
            _packed_variant(
                expand=lambda mask, batch: (
                    mask if mask.dim() == 2 else _four_dimensions(mask, batch)
                )
            ),
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "two_as_padding",
            "It fails on a mask [query, key]. Two dimensions can mean two things: if the first is "
            "not the batch, make it [1, 1, query, key].",
            _packed_variant(
                expand=lambda mask, batch: (
                    mask[:, None, None] if mask.dim() == 2 else _four_dimensions(mask, batch)
                )
            ),
            points=4,
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "three_refused",
            "It fails on a mask [batch, query, key]. Give it an axis of size 1 for the heads: "
            "[batch, 1, query, key].",
            _packed_variant(expand=_no_three),
            points=4,
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "three_at_heads",
            "A mask [batch, query, key] has no axis for the heads: where there are as many heads "
            "as sentences, head b gets the mask of sentence b, elsewhere it fails. Make it "
            "[batch, 1, query, key].",
            _packed_variant(
                expand=lambda mask, batch: (
                    mask if mask.dim() == 3 else _four_dimensions(mask, batch)
                )
            ),
            points=4,
            any_error=True,
            section=_COMMON,
        ),
        Mistake(
            "four_refused",
            "It fails on a mask [batch, heads, query, key], which has its four dimensions already: "
            "use it as it is.",
            _packed_variant(expand=_no_four),
            points=3,
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "four_first_head",
            "Of a mask [batch, heads, query, key] only that of head 0 is used, for all heads.",
            _packed_variant(expand=lambda mask, batch: _four_dimensions(mask, batch)[:, :1]),
            points=3,
            section=_MASKS,
        ),
        Mistake(
            "padding_only",
            "It fails with masks of all forms but [batch, key]: the number of dimensions, "
            "`mask.dim()`, says which axes are missing.",
            points=3,
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "fixed_head_size",
            "It fails where all heads together are not as wide as hidden_states. The head size "
            "follows from the packed weight: a third of its rows, divided by the heads.",
            points=4,
            any_error=True,
            section=_SIZE,
        ),
        Mistake(
            "nan_row",
            "A query that may see nothing gives NaN: a softmax over nothing but −∞ is 0/0. Every "
            "head must give it zeros, so that the bias of the output is left.",
            points=4,
            section=_MASKS,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a query may see nothing the gradient is NaN: a NaN "
            "that is replaced after the softmax (`nan_to_num`, `where`) still poisons the backward "
            "pass. Keep such rows from reaching the softmax as −∞.",
            _packed_variant(frozenset({"nan_gradient"})),
            same_results=(_nan_replaced_in_output,),
            points=4,
            section=_MASKS,
        ),
        Mistake(
            "finite_fill",
            "A query that may see nothing gets the plain average of all values, because the fill "
            "is a finite number, the same for all. Every head must give it zeros.",
            _packed_variant(frozenset({"finite_fill"})),
            points=4,
            section=_MASKS,
        ),
        Mistake(
            "zeros_behind_output",
            "A query that may see nothing gets zeros as its result; it is its heads that give "
            "zeros. They pass through the output projection, so that its bias is left.",
            _zeros_behind_output,
            points=4,
            section=_MASKS,
        ),
        Mistake(
            "small_added",
            "A query that may see nothing looks at everything: a finite number such as −1e4 is "
            "added to all scores of its row, and softmax ignores what is added to all. Every head "
            "must give it zeros.",
            _packed_variant(frozenset({"small_added"})),
            points=4,
            section=_MASKS,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`), so nothing could be learned.",
            lambda *arguments: _packed_attention(*arguments).detach(),
            points=4,
        ),
        Mistake(
            "changed_argument",
            "The result is right, but weights in `state` are changed in place: the next call would "
            "give other numbers. Compute with a new tensor instead of `*=`.",
            _changed_in_place,
        ),
        Mistake(
            "dropout",
            "Dropout is alive: the weights are dropped by chance. Grading is evaluation: leave it "
            "out.",
            _packed_variant(frozenset({"dropout"})),
        ),
    ),
)


# ---- Exercise 2: flax_to_torch -----------------------------------------------------------------


def _flax_variant(wrong: frozenset[str] = frozenset()):
    """The state of Flax's attention as that of PyTorch's, with the mistakes that are asked for."""

    def rows(kernel: Tensor) -> Tensor:  # [hidden, heads, head_size] -> [heads * head_size, hidden]
        if "not_transposed" in wrong:
            return kernel.flatten(1)
        if "interleaved" in wrong:
            return kernel.permute(2, 1, 0).flatten(0, 1)
        if "reshaped" in wrong:
            return kernel.transpose(0, 1).reshape(-1, kernel.size(0))
        return kernel.permute(1, 2, 0).flatten(0, 1)

    def flax_to_torch(state):
        parts = ["query", "key", "value"]
        if "key_first" in wrong:
            parts = ["key", "query", "value"]
        if "value_second" in wrong:
            parts = ["query", "value", "key"]
        kernel = state["out.kernel"]  # [heads, head_size, hidden]
        hidden = kernel.size(-1)
        weight = [rows(state[f"{part}.kernel"]) for part in parts]
        none = torch.zeros(kernel.shape[:2], dtype=kernel.dtype)
        bias = [state.get(f"{part}.bias", none) for part in parts]
        if "biases_swapped" in wrong:
            bias = [offset.T for offset in bias]
        bias = [offset.flatten() for offset in bias]
        if "bias_of_part" in wrong:
            bias = [bias[0]] * 3
        if "head_by_head" in wrong:
            heads = kernel.size(0)
            weight, bias = (
                [
                    piece
                    for head in zip(*(part.chunk(heads) for part in parts), strict=True)
                    for piece in head
                ]
                for parts in (weight, bias)
            )
        out = kernel.flatten(0, 1)
        if "out_interleaved" in wrong:
            out = kernel.transpose(0, 1).flatten(0, 1)
        out_bias = state.get("out.bias", torch.zeros(hidden, dtype=kernel.dtype))
        return {
            "in_proj_weight": torch.cat(weight),
            "in_proj_bias": torch.zeros_like(torch.cat(bias))
            if "in_bias_dropped" in wrong
            else torch.cat(bias),
            "out_proj.weight": out if "out_not_transposed" in wrong else out.T,
            "out_proj.bias": torch.zeros_like(out_bias)
            if "out_bias_dropped" in wrong
            else out_bias,
        }

    return flax_to_torch


_flax_to_torch = _flax_variant()


def _flax_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", heads=None, dtype=torch.float32, bias=True, **options):
        n_h, size = (torch.randperm(2, generator=generator) + 2).tolist()
        heads = heads or n_h
        hidden = heads * size
        state = {}
        for name in ("query", "key", "value"):
            state[f"{name}.kernel"] = _normal(generator, hidden, heads, size).to(dtype)
            state[f"{name}.bias"] = _normal(generator, heads, size).to(dtype)
        state["out.kernel"] = _normal(generator, heads, size, hidden).to(dtype)
        state["out.bias"] = _normal(generator, hidden).to(dtype)
        if not bias:
            state = {name: tensor for name, tensor in state.items() if "kernel" in name}
        order = sorted(state) if heads % 2 else list(state)
        return Case(title, part, (("state", {name: state[name] for name in order}),), **options)

    return [
        case("weights and biases"),
        case("a single head", heads=1),
        case("five heads", heads=5),
        case("tensors that are transposed views", strided=True),
        case("a layer without biases", "none", bias=False),
        case("a layer without biases, float64", "none", bias=False, dtype=torch.float64),
    ]


def _loop_flax(state):
    heads, size, hidden = state["out.kernel"].shape
    dtype = state["out.kernel"].dtype
    weight = torch.empty(3 * hidden, hidden, dtype=dtype)
    bias = torch.zeros(3 * hidden, dtype=dtype)
    out = torch.empty(hidden, hidden, dtype=dtype)
    for place, part in enumerate(("query", "key", "value")):
        for head in range(heads):
            first = place * hidden + head * size
            weight[first : first + size] = state[f"{part}.kernel"][:, head].T
            if f"{part}.bias" in state:
                bias[first : first + size] = state[f"{part}.bias"][head]
    for head in range(heads):
        out[:, head * size : (head + 1) * size] = state["out.kernel"][head].T
    return {
        "in_proj_weight": weight,
        "in_proj_bias": bias,
        "out_proj.weight": out,
        "out_proj.bias": state.get("out.bias", torch.zeros(hidden, dtype=dtype)),
    }


def _einsum_flax(state):
    kernels = torch.stack([state[f"{part}.kernel"] for part in ("query", "key", "value")])
    out = torch.einsum("hdo->ohd", state["out.kernel"])
    new = kernels.new_zeros
    bias = [state.get(f"{part}.bias", new(out.shape[1:])) for part in ("query", "key", "value")]
    return {
        "out_proj.weight": out.reshape(out.size(0), -1).contiguous(),
        "out_proj.bias": state["out.bias"].clone() if "out.bias" in state else new(out.size(0)),
        "in_proj_weight": torch.einsum("pihd->phdi", kernels).reshape(-1, out.size(0)),
        "in_proj_bias": torch.stack(bias).reshape(-1),
    }


def _by_a_module(state):
    """PyTorch's module is built and filled; a state of parameters comes back."""
    heads, _, hidden = state["out.kernel"].shape
    module = nn.MultiheadAttention(hidden, heads, dtype=state["out.kernel"].dtype)
    module.load_state_dict(_loop_flax(state))
    return module.state_dict()


def _parameters(state):
    return {name: nn.Parameter(tensor) for name, tensor in _flax_to_torch(state).items()}


def _renamed(change: Callable[[dict], dict]):
    return lambda state: change(_flax_to_torch(state))


def _biases(state, missing: Callable[[State], State]):
    return _flax_to_torch(state) if "out.bias" in state else missing(_flax_to_torch(state))


def _with_scaled_query(state: State, *scaled: str) -> State:
    root = math.sqrt(state["query.kernel"].size(-1))
    return {name: t / root if name in scaled else t for name, t in state.items()}


def _crash_without_bias(state):
    state["query.bias"], state["out.bias"]
    return _flax_to_torch(state)


FLAX_TO_TORCH = Exercise(
    id="flax_to_torch",
    title="Weights from another country",
    signature="flax_to_torch(state)",
    reference=_flax_to_torch,
    variant=_flax_variant,
    cases=_flax_cases,
    parts=(
        Part("core", "all four tensors of PyTorch's layout", 2),
        Part("none", "a layer that was trained without biases", 1),
    ),
    minutes=15,
    difficulty=2,
    section=_PACKED,
    alternatives={
        "loop over heads": _loop_flax,
        "einsum": _einsum_flax,
        "by PyTorch's module": _by_a_module,
        "parameters": _parameters,
    },
    mistakes=(
        Mistake(
            "not_transposed",
            "The kernels of query, key and value are not transposed: Flax computes x · kernel and "
            "keeps [in, out], PyTorch keeps [out, in]. As hidden is heads × head_size, the shapes "
            "do not complain.",
            section=_ONE_HEAD,
        ),
        Mistake(
            "interleaved",
            "The rows of query, key and value come in the order [head_size, heads]; all rows of "
            "head 0 come first, then all of head 1. (`kernel.T` reverses all three axes.)",
        ),
        Mistake(
            "reshaped",
            "The kernels were brought to their shape with `reshape` while the axis to be moved "
            "stood in the middle, which mixes heads and inputs. Bring the axes in order first: "
            "`permute(1, 2, 0)`.",
            _flax_variant(frozenset({"reshaped"})),
        ),
        Mistake(
            "key_first",
            "The rows are stacked as key, query, value; the order is query, key, value.",
        ),
        Mistake(
            "value_second",
            "The rows are stacked as query, value, key; the order is query, key, value.",
            _flax_variant(frozenset({"value_second"})),
        ),
        Mistake(
            "head_by_head",
            "The rows are stacked head by head: query, key and value of head 0, then those of head "
            "1. In PyTorch all query rows come first, then all key rows, then all value rows.",
        ),
        Mistake(
            "biases_swapped",
            "The biases are flattened from [head_size, heads]; they are [heads, head_size] "
            "already, and all numbers of head 0 come first.",
            _flax_variant(frozenset({"biases_swapped"})),
        ),
        Mistake(
            "bias_of_part",
            "Key and value got the bias of the query.",
            _flax_variant(frozenset({"bias_of_part"})),
        ),
        Mistake(
            "bias_of_key",
            "Query and value got the bias of the key.",
            lambda state: _flax_to_torch(
                {
                    name: state["key.bias"] if name in ("query.bias", "value.bias") else tensor
                    for name, tensor in state.items()
                }
            ),
        ),
        Mistake(
            "query_scaled",
            "The weights of the query are divided by √head_size. PyTorch's module divides by "
            "itself when it runs, so the numbers move as they are.",
            lambda state: _flax_to_torch(_with_scaled_query(state, "query.kernel")),
        ),
        Mistake(
            "query_and_bias_scaled",
            "Weights and bias of the query are divided by √head_size. PyTorch's module divides by "
            "itself when it runs, so the numbers move as they are.",
            lambda state: _flax_to_torch(_with_scaled_query(state, "query.kernel", "query.bias")),
        ),
        Mistake(
            "in_bias_dropped",
            "The biases of query, key and value are zeros although the layer has some.",
            _flax_variant(frozenset({"in_bias_dropped"})),
            section=_ONE_HEAD,
        ),
        Mistake(
            "key_bias_dropped",
            "The bias of the keys is zeros although the layer has one. No output would show it, "
            "but the state is not the same: a transfer carries every number.",
            lambda state: (
                _flax_to_torch({**state, "key.bias": torch.zeros_like(state["key.bias"])})
                if "key.bias" in state
                else _flax_to_torch(state)
            ),
            section=_UNSEEN,
        ),
        Mistake(
            "out_bias_dropped",
            "The output's bias is zeros although the layer has one.",
            _flax_variant(frozenset({"out_bias_dropped"})),
            section=_OUTPUT,
        ),
        Mistake(
            "all_biases_dropped",
            "All biases are zeros although the layer has some.",
            _flax_variant(frozenset({"in_bias_dropped", "out_bias_dropped"})),
            section=_ONE_HEAD,
        ),
        Mistake(
            "out_not_transposed",
            "The kernel of the output is not transposed: [heads · head_size, hidden] must become "
            "[hidden, heads · head_size].",
            section=_OUTPUT,
        ),
        Mistake(
            "out_interleaved",
            "The columns of the output's weight come in the order [head_size, heads]; all columns "
            "of head 0 come first.",
            section=_OUTPUT,
        ),
        Mistake(
            "names_kept",
            "The tensors have other names than `nn.MultiheadAttention` gives them: they must be "
            "in_proj_weight, in_proj_bias, out_proj.weight and out_proj.bias.",
            _renamed(
                lambda new: {name.replace("out_proj.", "out_proj_"): new[name] for name in new}
            ),
        ),
        Mistake(
            "not_stacked",
            "Query, key and value stand on an axis of their own, [3, hidden, hidden]; put their "
            "rows behind each other, [3 · hidden, hidden], with `torch.cat`.",
            _renamed(
                lambda new: {
                    **new,
                    "in_proj_weight": new["in_proj_weight"].unflatten(0, (3, -1)),
                    "in_proj_bias": new["in_proj_bias"].unflatten(0, (3, -1)),
                }
            ),
        ),
        Mistake(
            "side_by_side",
            "Query, key and value stand side by side, [hidden, 3 · hidden]; put their rows behind "
            "each other, with `torch.cat` along the first axis.",
            _renamed(
                lambda new: {
                    **new,
                    "in_proj_weight": torch.cat(new["in_proj_weight"].chunk(3), dim=1),
                }
            ),
        ),
        Mistake(
            "bias_left_out_of_heads",
            "The bias keeps its axes [heads, head_size]; PyTorch has one axis for it.",
            _renamed(
                lambda new: {**new, "in_proj_bias": new["in_proj_bias"].unsqueeze(1)},
            ),
        ),
        Mistake(
            "half_precision",
            "The dtype has changed to float32; a transfer keeps it.",
            lambda state: {name: tensor.float() for name, tensor in _flax_to_torch(state).items()},
            points=2,
        ),
        Mistake(
            "float32_zeros",
            "The zeros for missing biases are float32 whatever the dtype of the kernels is: give "
            "`torch.zeros` the kernel's `dtype`, or use `kernel.new_zeros`.",
            lambda state: _biases(
                state,
                lambda new: {
                    name: tensor.float() if "bias" in name else tensor
                    for name, tensor in new.items()
                },
            ),
            points=2,
        ),
        Mistake(
            "biases_left_out",
            "For a layer without biases the two biases are left out; PyTorch's module has them "
            "and would refuse the state. A missing bias is a bias of zeros.",
            lambda state: _biases(
                state,
                lambda new: {name: tensor for name, tensor in new.items() if "bias" not in name},
            ),
            points=2,
        ),
        Mistake(
            "biases_none",
            "For a layer without biases the two biases are None; a missing bias is a bias of "
            "zeros.",
            lambda state: _biases(
                state,
                lambda new: {
                    name: None if "bias" in name else tensor for name, tensor in new.items()
                },
            ),
            points=2,
        ),
        Mistake(
            "bias_of_one_part",
            "For a layer without biases `in_proj_bias` has hidden zeros; it needs 3 · hidden, for "
            "query, key and value.",
            lambda state: _biases(
                state, lambda new: {**new, "in_proj_bias": new["out_proj.bias"].clone()}
            ),
            points=2,
        ),
        Mistake(
            "error_everywhere",
            "It ends with an error in every case, with and without biases: read the error of the "
            "first case.",
            _raises,
            any_error=True,
        ),
        Mistake(
            "crash_without_bias",
            "It fails on a layer without biases: its state has the four kernels and nothing else.",
            _crash_without_bias,
            points=2,
            any_error=True,
        ),
    ),
)


# ---- Exercise 3: CrossAttention ----------------------------------------------------------------


def _cross_variant(wrong: frozenset[str] = frozenset()):
    """The module of the exercise, with the mistakes that are asked for."""

    def fit(states: Tensor, linear: nn.Linear) -> Tensor:
        if states.size(-1) != linear.in_features:  # an error that is no sign of anything
            raise LookupError("These states do not fit.")
        return linear(states)

    class CrossAttention(nn.Module):
        def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
            super().__init__()
            self.num_attention_heads = num_attention_heads
            self.query = nn.Linear(hidden_size, hidden_size)
            self.key = nn.Linear(source_size, hidden_size)
            self.value = nn.Linear(source_size, hidden_size)
            self.output = nn.Linear(hidden_size, hidden_size)
            self.p = dropout

        def split(self, states):
            batch, tokens, _ = states.shape
            heads = self.num_attention_heads
            if "split_without_transpose" in wrong:
                return states.reshape(batch, heads, tokens, -1)
            if wrong & {"interleaved", "split_interleaved"}:
                return states.reshape(batch, tokens, -1, heads).permute(0, 3, 1, 2)
            return states.reshape(batch, tokens, heads, -1).transpose(1, 2)

        def forward(self, hidden_states, source_states, source_mask=None):
            keys_of = hidden_states if "self_attention" in wrong else source_states
            values_of = hidden_states if wrong & {"self_attention", "mixed"} else source_states
            keys, values = self.key, self.value
            if wrong & {"values_through_key", "layers_exchanged"}:
                values = self.key
            if wrong & {"keys_through_value", "layers_exchanged"}:
                keys = self.value
            if "tokens_of_target" in wrong and hidden_states.size(1) != source_states.size(1):
                keys(source_states).view(*hidden_states.shape)  # raises what such a `view` does
            query = self.split(self.query(hidden_states))
            key = self.split(fit(keys_of, keys))
            value = self.split(fit(values_of, values))
            scale = math.sqrt(query.size(-1))
            if "no_scale" in wrong:
                scale = 1.0
            if "scale_hidden" in wrong:
                scale = math.sqrt(hidden_states.size(-1))
            if "scale_source" in wrong:
                scale = math.sqrt(source_states.size(-1))
            scores = query @ key.transpose(-2, -1) / scale
            if "roles_exchanged" in wrong:
                scores = scores.transpose(-2, -1)
            keep = None if source_mask is None else source_mask[:, None, None, :]
            if keep is not None and "mask_at_heads" in wrong:
                keep = source_mask[:, None, :]
            if keep is not None and wrong & {"mask_at_targets", "mask_at_targets_nan"}:
                keep = source_mask[:, None, :, None].expand_as(scores)
            if "dropout_on_scores" in wrong:
                scores = F.dropout(scores, self.p, self.training)
            weights = _wrong_weights(scores, keep, wrong)
            dropped = F.dropout(weights, self.p, self.training)
            elsewhere = {"dropout_on_scores", "dropout_on_output", "dropout_on_context"}
            if wrong & {*elsewhere, "no_dropout"}:
                dropped = weights
            if "dropout_always" in wrong:
                dropped = F.dropout(weights, self.p)
            context = dropped @ value
            if "dropout_on_context" in wrong:
                context = F.dropout(context, self.p, self.training)
            if "merged_without_transpose" not in wrong:
                context = context.transpose(1, 2)
                if "interleaved" in wrong:
                    context = context.transpose(2, 3)
            context = context.reshape(hidden_states.shape)
            output = context if "no_output" in wrong else self.output(context)
            if "dropout_on_output" in wrong:
                output = F.dropout(output, self.p, self.training)
            if "zeros_behind_output" in wrong and source_mask is not None:
                output = output * source_mask.any(-1)[:, None, None]
            if "weights_after_dropout" in wrong:
                weights = dropped
            if "weights_are_scores" in wrong:
                weights = scores
            if "weights_masked_scores" in wrong:
                weights = scores if keep is None else scores.masked_fill(~keep, -math.inf)
            if "weights_averaged" in wrong:
                weights = weights.mean(dim=1)
            return output, weights

    return CrossAttention


_CrossAttention = _cross_variant()


def _cross_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part, driver, alike=False, mask=None, dropout=0.3, batch=None, targets=None,
        sources=7,
    ):  # fmt: skip
        n_b, n_t, heads, size = _sizes(generator)
        if driver is check.train_module:  # the gradients of all weights are large enough
            heads, size = 2, 3
        batch, targets, hidden = batch or n_b, targets or n_t, heads * size
        sources, source_size = (targets, hidden) if alike else (sources, hidden + 3)
        state = {
            **_linear(generator, "query", hidden, hidden),
            **_linear(generator, "key", hidden, source_size),
            **_linear(generator, "value", hidden, source_size),
            **_linear(generator, "output", hidden, hidden),
        }
        if driver is drivers.dropped_weights:  # what the heads bring is the output
            state["output.weight"], state["output.bias"] = torch.eye(hidden), torch.zeros(hidden)
        inputs = [
            _normal(generator, batch, targets, hidden),
            _normal(generator, batch, sources, source_size),
        ]
        if mask is not None:
            inputs.append(mask(batch, sources))
        arguments = (
            ("init", [hidden, source_size, heads, dropout]),
            ("state", state),
            ("inputs", inputs),
        )
        return Case(title, part, arguments, driver=driver)

    def padding(batch, sources):
        return _tokens_first(generator, batch, sources)

    def empty(batch, sources):
        mask = padding(batch, sources)
        mask[-1] = False
        return mask

    return [
        case("output, no mask", "core", drivers.output_of),
        case("output, padding in the source", "core", drivers.output_of, mask=padding),
        case("a batch of one", "core", drivers.output_of, mask=padding, batch=1),
        case("a target of one token", "core", drivers.output_of, mask=padding, targets=1),
        case("output and weights", "weights", check.run_module),
        case("output and weights, padding", "weights", check.run_module, mask=padding),
        case("a source as long and wide as the target", "corner", drivers.output_of, alike=True),
        case("a source that is all padding", "corner", drivers.output_of, alike=True, mask=empty),
        case("gradients of all parameters", "trained", check.train_module, mask=empty),
        case("in training, with dropout 1", "trained", drivers.in_training, dropout=1.0),
        case(
            "in training, a source of one token",
            "trained",
            drivers.dropped_weights,
            targets=100,
            sources=1,
        ),
    ]


class _EinsumCross(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.heads = num_attention_heads
        for name, size in (("query", hidden_size), ("key", source_size), ("value", source_size)):
            self.add_module(name, nn.Linear(size, hidden_size))
        self.output = nn.Linear(hidden_size, hidden_size)
        self.dropout = nn.Dropout(dropout)

    def forward(self, hidden_states, source_states, source_mask=None):
        query, key, value = (
            linear(x).unflatten(-1, (self.heads, -1))
            for linear, x in (
                (self.query, hidden_states),
                (self.key, source_states),
                (self.value, source_states),
            )
        )
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) * query.size(-1) ** -0.5
        keep = None if source_mask is None else source_mask[:, None, None, :].bool()
        weights = _weights(scores, keep)
        context = torch.einsum("bhqk,bkhd->bqhd", self.dropout(weights), value)
        return self.output(context.flatten(2)), weights


class _Parameters(nn.Module):
    """A linear layer of one's own."""

    def __init__(self, into, out):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(out, into))
        self.bias = nn.Parameter(torch.zeros(out))

    def forward(self, x):
        return torch.matmul(x, self.weight.t()) + self.bias


class _LoopCross(nn.Module):
    def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
        super().__init__()
        self.size, self.dropout = hidden_size // num_attention_heads, dropout
        self.query, self.output = (_Parameters(hidden_size, hidden_size) for _ in range(2))
        self.key, self.value = (_Parameters(source_size, hidden_size) for _ in range(2))

    def forward(self, hidden_states, source_states, source_mask=None):
        keep = None if source_mask is None else source_mask.unsqueeze(1)
        parts = (self.query(hidden_states), self.key(source_states), self.value(source_states))
        contexts, maps = [], []
        for query, key, value in zip(*(p.split(self.size, dim=-1) for p in parts), strict=True):
            maps.append(_weights(torch.bmm(query, key.mT) / math.sqrt(self.size), keep))
            contexts.append(F.dropout(maps[-1], self.dropout, self.training) @ value)
        return self.output(torch.cat(contexts, dim=-1)), torch.stack(maps, dim=1)


class _LibraryCross(_EinsumCross):
    """PyTorch's function for the whole, which weights are asked of."""

    def forward(self, hidden_states, source_states, source_mask=None):
        if self.training:  # where it returns weights after dropout
            return super().forward(hidden_states, source_states, source_mask)
        empty = None if source_mask is None else ~source_mask.any(-1)
        hide = None if source_mask is None else ~source_mask & ~empty[:, None]
        output, weights = F.multi_head_attention_forward(
            hidden_states.transpose(0, 1),
            source_states.transpose(0, 1),
            source_states.transpose(0, 1),
            hidden_states.size(-1),
            self.heads,
            None,
            torch.cat([self.query.bias, self.key.bias, self.value.bias]),
            None,
            None,
            False,
            0.0,
            self.output.weight,
            torch.zeros_like(self.output.bias),
            training=False,
            key_padding_mask=hide,
            use_separate_proj_weight=True,
            q_proj_weight=self.query.weight,
            k_proj_weight=self.key.weight,
            v_proj_weight=self.value.weight,
            average_attn_weights=False,
        )
        output = output.transpose(0, 1)
        if empty is not None:
            output = output.masked_fill(empty[:, None, None], 0.0)
            weights = weights.masked_fill(empty[:, None, None, None], 0.0)
        return output + self.output.bias, weights


class _DoubleCross(_EinsumCross):
    def forward(self, hidden_states, source_states, source_mask=None):
        states = {name: tensor.double() for name, tensor in self.named_parameters()}
        return tuple(
            part.float()
            for part in torch.func.functional_call(
                _EinsumView(self),
                states,
                (hidden_states.double(), source_states.double(), source_mask),
            )
        )


class _EinsumView(nn.Module):
    """The einsum module's own forward on another module's parts."""

    def __init__(self, module):
        super().__init__()
        self.query, self.key, self.value = module.query, module.key, module.value
        self.output, self.dropout, self.heads = module.output, module.dropout, module.heads

    forward = _EinsumCross.forward


def _cross_with(change: Callable[[nn.Module], None], base: type = _CrossAttention) -> type:
    """The module with something changed after it was built."""

    class CrossAttention(base):
        def __init__(self, hidden_size, source_size, num_attention_heads, dropout=0.0):
            super().__init__(hidden_size, source_size, num_attention_heads, dropout)
            change(self, hidden_size, source_size)

    return CrossAttention


def _keys_of_hidden_size(module, hidden_size, source_size):
    module.key, module.value = (nn.Linear(hidden_size, hidden_size) for _ in range(2))


def _no_biases(module, hidden_size, source_size):
    module.query = nn.Linear(hidden_size, hidden_size, bias=False)
    module.key, module.value = (nn.Linear(source_size, hidden_size, bias=False) for _ in range(2))


def _no_output_layer(module, hidden_size, source_size):
    del module.output


class _OutputOnly(_CrossAttention):
    def forward(self, *inputs):
        return super().forward(*inputs)[0]


class _NoWeights(_CrossAttention):
    def forward(self, *inputs):
        return super().forward(*inputs)[0], None


class _WeightsFirst(_CrossAttention):
    def forward(self, *inputs):
        return super().forward(*inputs)[::-1]


class _WeightsTransposed(_CrossAttention):
    def forward(self, *inputs):
        output, weights = super().forward(*inputs)
        return output, weights.transpose(-2, -1)


class _Detached(_CrossAttention):
    def forward(self, *inputs):
        output, weights = super().forward(*inputs)
        return self.output.bias + (output - self.output.bias).detach(), weights


class _FrozenKeys(_CrossAttention):
    def forward(self, hidden_states, source_states, source_mask=None):
        with torch.no_grad():
            key = self.split(self.key(source_states))
        query, value = self.split(self.query(hidden_states)), self.split(self.value(source_states))
        keep = None if source_mask is None else source_mask[:, None, None, :]
        weights = _weights(query @ key.mT / math.sqrt(query.size(-1)), keep)
        context = F.dropout(weights, self.p, self.training) @ value
        return self.output(context.transpose(1, 2).flatten(2)), weights


class _CrashWithoutMask(_CrossAttention):
    def forward(self, hidden_states, source_states, source_mask=None):
        return super().forward(hidden_states, source_states, source_mask[:])


CROSS_ATTENTION = Exercise(
    id="CrossAttention",
    title="Look into another text",
    signature="class CrossAttention(hidden_size, source_size, num_attention_heads, dropout=0.0)",
    reference=_CrossAttention,
    variant=_cross_variant,
    cases=_cross_cases,
    parts=(
        Part("core", "the output, with and without padding in the source", 2),
        Part("weights", "the attention weights of every head", 1),
        Part("corner", "a source like the target; a source that is all padding", 1),
        Part("trained", "gradients reach all parameters; dropout while training", 1),
    ),
    minutes=25,
    difficulty=3,
    section=_CROSS,
    alternatives={
        "einsum": _EinsumCross,
        "loop over heads, linear layers of its own": _LoopCross,
        "PyTorch's function": _LibraryCross,
        "in float64": _DoubleCross,
    },
    mistakes=(
        *_softmax_mistakes(_cross_variant),
        Mistake(
            "scale_hidden",
            "The scores are divided by √hidden_size; each product is a sum over the head_size "
            "numbers of one head, so divide by √head_size.",
            _cross_variant(frozenset({"scale_hidden"})),
            section=_COMMON,
        ),
        Mistake(
            "scale_source",
            "The scores are divided by √source_size; each product is a sum over the head_size "
            "numbers of one head, so divide by √head_size.",
            _cross_variant(frozenset({"scale_source"})),
            section=_COMMON,
        ),
        Mistake(
            "self_attention",
            "Keys and values come from hidden_states: this is self-attention. They must come from "
            "source_states.",
            _cross_variant(frozenset({"self_attention"})),
        ),
        Mistake(
            "mixed",
            "The keys come from the source, but the values from hidden_states; what is looked at "
            "and what is fetched must be the same tokens.",
            _cross_variant(frozenset({"mixed"})),
        ),
        Mistake(
            "values_through_key",
            "The values pass through the layer of the keys; they have one of their own, "
            "`self.value`.",
            _cross_variant(frozenset({"values_through_key"})),
        ),
        Mistake(
            "keys_through_value",
            "The keys pass through the layer of the values; they have one of their own, "
            "`self.key`.",
            _cross_variant(frozenset({"keys_through_value"})),
        ),
        Mistake(
            "layers_exchanged",
            "The layers of key and value are exchanged: the keys pass through `self.value` and the "
            "values through `self.key`.",
            _cross_variant(frozenset({"layers_exchanged"})),
        ),
        Mistake(
            "roles_exchanged",
            "Query and key are exchanged in the product: row i of the scores belongs to query i, "
            "so it is query · keyᵀ.",
            _cross_variant(frozenset({"roles_exchanged"})),
            any_error=True,
        ),
        Mistake(
            "tokens_of_target",
            "It fails unless the source has as many tokens as the target: the number of tokens is "
            "taken from hidden_states for keys and values as well. Read it from each tensor.",
            _cross_variant(frozenset({"tokens_of_target"})),
        ),
        Mistake(
            "split_without_transpose",
            "The heads are cut with `view` or `reshape` straight to [batch, heads, tokens, "
            "head_size]: a head gets pieces of different tokens. Cut to [batch, tokens, heads, "
            "head_size] first, then `transpose(1, 2)`.",
            section=_PACKED,
        ),
        Mistake(
            "merged_without_transpose",
            "The heads are put together with `reshape` straight from [batch, heads, tokens, "
            "head_size], which mixes tokens. Exchange heads and tokens back first.",
            section=_PACKED,
        ),
        Mistake(
            "interleaved",
            "Heads are cut as [head_size, heads], so head 0 gets numbers 0, heads, 2·heads … The "
            "numbers of a head lie next to each other: cut as [heads, head_size].",
            _cross_variant(frozenset({"interleaved"})),
            section=_COMMON,
        ),
        Mistake(
            "split_interleaved",
            "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
            "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
            _cross_variant(frozenset({"split_interleaved"})),
            section=_COMMON,
        ),
        Mistake(
            "no_output",
            "The heads are put together, but the output projection is not applied.",
            _cross_variant(frozenset({"no_output"})),
            section=_OUTPUT,
        ),
        Mistake(
            "mask_ignored",
            "The mask of the source has no effect: padding gets weight as any token.",
            _cross_variant(frozenset({"mask_ignored"})),
            section=_MASKS,
        ),
        Mistake(
            "inverted",
            "The mask is used the wrong way round: in `source_mask` True is a token.",
            section=_MASKS,
        ),
        Mistake(
            "mask_at_targets",
            "The mask is laid over the target, as [batch, 1, source, 1]; it belongs to the source, "
            "[batch, 1, 1, source].",
            _cross_variant(frozenset({"mask_at_targets"})),
            section=_MASKS,
        ),
        Mistake(
            "mask_at_targets_nan",
            "The mask is laid over the target, as [batch, 1, source, 1], and hides whole rows, "
            "which become NaN; it belongs to the source, [batch, 1, 1, source].",
            _cross_variant(frozenset({"mask_at_targets_nan", "nan_row"})),
            section=_MASKS,
        ),
        Mistake(
            "mask_at_heads",
            "A mask [batch, source] or [batch, 1, source] stands with its batch at the axis of the "
            "heads or of the target: beside scores of four axes it must be [batch, 1, 1, source].",
            _cross_variant(frozenset({"mask_at_heads"})),
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "zero_score",
            "Hidden scores are 0 (filled with 0 or multiplied by the mask), and e⁰ = 1 is a full "
            "share for the softmax. Set them to minus infinity.",
            _cross_variant(frozenset({"zero_score"})),
            section=_MASKS,
        ),
        Mistake(
            "zeroed_after_softmax",
            "Hidden weights are set to 0 after the softmax, so the rows sum to less than 1. Mask "
            "the scores, before the softmax.",
            _cross_variant(frozenset({"zeroed_after_softmax"})),
            section=_MASKS,
        ),
        Mistake(
            "crash_without_mask",
            "It fails when no mask is given: test `source_mask is not None` before using it.",
            _CrashWithoutMask,
            any_error=True,
            section=_MASKS,
        ),
        Mistake(
            "dropout_always",
            "Dropout is alive in evaluation mode: `F.dropout` drops unless it is told "
            "`training=self.training`; `nn.Dropout` knows by itself.",
            _cross_variant(frozenset({"dropout_always"})),
        ),
        Mistake(
            "output_first",
            "The two results are exchanged: return the output first, then the weights.",
            _WeightsFirst,
        ),
        Mistake(
            "keys_of_hidden_size",
            "The layers of key and value take vectors of hidden_size; they read the source, whose "
            "vectors have source_size numbers: `nn.Linear(source_size, hidden_size)`.",
            _cross_with(_keys_of_hidden_size),
        ),
        Mistake(
            "no_biases",
            "The projections have no biases (`bias=False`), but the weights that are loaded have.",
            _cross_with(_no_biases),
            section=_ONE_HEAD,
        ),
        Mistake(
            "no_output_layer",
            "There is no `self.output`, the projection that mixes what the heads bring.",
            _cross_with(_no_output_layer),
            section=_OUTPUT,
        ),
        Mistake(
            "weights_not_returned",
            "Only the output is returned; the exercise asks for the attention weights, too.",
            _OutputOnly,
            points=3,
        ),
        Mistake(
            "weights_none",
            "None is returned in place of the attention weights.",
            _NoWeights,
            points=3,
        ),
        Mistake(
            "weights_are_scores",
            "The output is right, but the scores are returned as weights; return what comes out of "
            "the softmax.",
            _cross_variant(frozenset({"weights_are_scores"})),
            points=3,
        ),
        Mistake(
            "weights_masked_scores",
            "The output is right, but the scores with −∞ for padding are returned as weights; "
            "return what comes out of the softmax.",
            _cross_variant(frozenset({"weights_masked_scores"})),
            points=3,
        ),
        Mistake(
            "weights_averaged",
            "The output is right, but the weights are averaged over the heads, as "
            "`nn.MultiheadAttention` does unless told otherwise. Return them for every head.",
            _cross_variant(frozenset({"weights_averaged"})),
            points=3,
        ),
        Mistake(
            "weights_transposed",
            "The output is right, but the last two axes of the weights are exchanged: queries "
            "(target) come before keys (source).",
            _WeightsTransposed,
            points=3,
        ),
        Mistake(
            "weights_after_dropout",
            "The weights are returned after dropout; return them as they were before.",
            _cross_variant(frozenset({"weights_after_dropout"})),
            points=4,
        ),
        Mistake(
            "no_dropout",
            "Dropout has no effect in training: the weights must be dropped before they meet the "
            "values.",
            points=4,
        ),
        Mistake(
            "dropout_on_output",
            "Dropout is applied to the output and not to the attention weights: with dropout 1 the "
            "bias of the output must be left.",
            _cross_variant(frozenset({"dropout_on_output"})),
            points=4,
        ),
        Mistake(
            "dropout_on_context",
            "Dropout is applied to what the heads bring, number by number, and not to the "
            "attention weights: a weight that is dropped takes the whole vector of its token away.",
            _cross_variant(frozenset({"dropout_on_context"})),
            points=4,
        ),
        Mistake(
            "dropout_on_scores",
            "Dropout is applied to the scores, before the softmax: a score of 0 is no weight of 0. "
            "Drop the weights.",
            _cross_variant(frozenset({"dropout_on_scores"})),
            points=4,
        ),
        Mistake(
            "nan_row",
            "A source that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Every "
            "head must give zeros, so that the bias of the output is left.",
            points=3,
            section=_MASKS,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a source is all padding the gradient is NaN: a NaN "
            "that is replaced after the softmax (`nan_to_num`, `where`) still poisons the backward "
            "pass. Keep such rows from reaching the softmax as −∞.",
            _cross_variant(frozenset({"nan_gradient"})),
            points=4,
            section=_MASKS,
        ),
        Mistake(
            "finite_fill",
            "A source that is all padding gives the plain average of its values, because the fill "
            "is a finite number, the same for all. Every head must give zeros.",
            _cross_variant(frozenset({"finite_fill"})),
            points=3,
            section=_MASKS,
        ),
        Mistake(
            "zeros_behind_output",
            "A source that is all padding gives an output of zeros; it is its heads that give "
            "zeros. They pass through `self.output`, so that its bias is left.",
            _cross_variant(frozenset({"zeros_behind_output"})),
            points=3,
            section=_MASKS,
        ),
        Mistake(
            "small_added",
            "A source that is all padding is looked at as if it were none: a finite number such as "
            "−1e4 is added to all scores of a row, and softmax ignores what is added to all. Every "
            "head must give zeros.",
            _cross_variant(frozenset({"small_added"})),
            points=3,
            section=_MASKS,
        ),
        Mistake(
            "frozen_keys",
            "The keys are computed without a gradient (`no_grad`, `detach`), so their layer cannot "
            "learn.",
            _FrozenKeys,
            points=4,
        ),
        Mistake(
            "detached",
            "The numbers are right, but no gradient goes through the attention: only the output's "
            "bias could learn.",
            _Detached,
            points=4,
        ),
    ),
)


# ---- Exercise 4: repaired_heads ----------------------------------------------------------------


def _repaired_variant(wrong: frozenset[str] = frozenset()):
    """The code of the exercise without its three bugs, and with those that are asked for."""
    attention = _packed_variant(
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
        n_b, tokens, n_h, size = _sizes(generator)
        batch, heads = batch or n_b, heads or n_h
        is_padding = ~_tokens_first(generator, batch, tokens)
        if empty:
            is_padding[-1] = True
        arguments = {
            "hidden_states": _normal(generator, batch, tokens, heads * size),
            "is_padding": is_padding,
            "state": _packed_state(generator, heads * size, heads * size),
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


REPAIRED_HEADS = Exercise(
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
    section=_COMMON,
    alternatives={
        "fused": _by_packed(_fused_packed),
        "loop over heads": _by_packed(_loop_over_heads),
        "einsum": _by_packed(_einsum_packed),
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
            section=_MASKS,
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
            section=_PACKED,
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
            section=_COMMON,
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
            section=_PACKED,
        ),
        Mistake(
            "unmasked",
            "The mask is gone altogether: padding takes part like any token.",
            _repaired_variant(frozenset({"unmasked"})),
            section=_MASKS,
        ),
        Mistake(
            "mask_at_queries",
            "The mask is laid over the queries, [batch, 1, tokens, 1]; it belongs to the keys, "
            "[batch, 1, 1, tokens].",
            _repaired_variant(frozenset({"mask_at_queries"})),
            section=_MASKS,
        ),
        Mistake(
            "padding_queries",
            "Padding is hidden as a query, too, so that its rows see nothing. Only keys are "
            "hidden: [batch, 1, 1, tokens].",
            _repaired_variant(frozenset({"padding_queries"})),
            section=_MASKS,
        ),
        Mistake(
            "added_mask",
            "The mask is added to the scores as ones and zeros, so padding is hardly hidden. Pass "
            "it as booleans, or as 0 and −∞.",
            _with_own_weights(lambda scores, keep: (scores + keep).softmax(-1)),
            same_results=(
                _with_own_weights(lambda scores, keep: (scores - (~keep).float()).softmax(-1)),
            ),
            section=_MASKS,
        ),
        Mistake(
            "zeroed_after_softmax",
            "The weights of padding are set to 0 after the softmax, so the rows sum to less than "
            "1. Mask the scores, before the softmax.",
            _with_own_weights(lambda scores, keep: scores.softmax(-1) * keep),
            section=_MASKS,
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
            section=_OUTPUT,
        ),
        Mistake(
            "causal",
            "Later tokens are hidden as well (`is_causal`, `tril`). Only padding is to be hidden.",
            _repaired_variant(frozenset({"causal"})),
            section=_MASKS,
        ),
        Mistake(
            "causal_instead",
            "Later tokens are hidden in place of padding (`is_causal`, `tril`). Padding is to be "
            "hidden, and nothing else.",
            _repaired_variant(frozenset({"causal", "unmasked"})),
            section=_MASKS,
        ),
        Mistake(
            "nan_row",
            "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Every "
            "head must give zeros, as PyTorch's function does.",
            _repaired_variant(frozenset({"nan_row"})),
            points=2,
            section=_MASKS,
        ),
        Mistake(
            "finite_fill",
            "A sentence that is all padding gets the plain average of its padding, because the "
            "fill is a finite number, the same for all. Every head must give zeros.",
            _repaired_variant(frozenset({"finite_fill"})),
            points=2,
            section=_MASKS,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a NaN "
            "that is replaced afterwards (`nan_to_num`, `where`) still poisons the backward pass.",
            _repaired_variant(frozenset({"nan_gradient"})),
            same_results=(_by_packed(_nan_replaced_in_output),),
            points=2,
            section=_MASKS,
        ),
        Mistake(
            "small_added",
            "A sentence that is all padding is looked at as if it were none: a finite number such "
            "as −1e4 is added to all scores of a row, and softmax ignores what is added to all. "
            "Every head must give zeros.",
            _repaired_variant(frozenset({"small_added"})),
            points=2,
            section=_MASKS,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            lambda *arguments: _repaired_heads(*arguments).detach(),
            points=2,
        ),
    ),
)


# ---- Exercise 5: test_multi_head ---------------------------------------------------------------

_RIGHT = """
def NAME(hidden_states, state, num_attention_heads):
    batch, tokens, hidden = hidden_states.shape
    heads = num_attention_heads
    size = hidden // heads
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    packed = F.linear(hidden_states, weight, bias)
    query, key, value = packed.chunk(3, dim=-1)
    query = query.reshape(batch, tokens, heads, size).transpose(1, 2)
    key = key.reshape(batch, tokens, heads, size).transpose(1, 2)
    value = value.reshape(batch, tokens, heads, size).transpose(1, 2)
    scores = query @ key.transpose(-2, -1) / math.sqrt(size)
    weights = scores.softmax(dim=-1)
    context = weights @ value
    context = context.transpose(1, 2).reshape(batch, tokens, hidden)
    output = F.linear(context, state["output.weight"], state["output.bias"])
    return output
"""

_LOOP = """
def NAME(hidden_states, state, num_attention_heads):
    hidden = hidden_states.size(-1)
    size = hidden // num_attention_heads
    weights, biases = state["query_key_value.weight"], state["query_key_value.bias"]
    linears = list(zip(weights.split(size), biases.split(size)))
    output = state["output.bias"]
    for head in reversed(range(num_attention_heads)):
        query, key, value = (
            hidden_states @ weight.T + bias for weight, bias in linears[head::num_attention_heads]
        )
        weights = torch.softmax(query @ key.mT * size**-0.5, -1)
        columns = state["output.weight"][:, head * size : (head + 1) * size]
        output = output + (weights @ value) @ columns.T
    return output
"""

_EINSUM = """
def NAME(hidden_states, state, num_attention_heads):
    double = {name: tensor.double() for name, tensor in state.items()}
    sizes = (3, num_attention_heads, -1)
    weight = double["query_key_value.weight"].unflatten(0, sizes)
    bias = double["query_key_value.bias"].unflatten(0, sizes)
    packed = torch.einsum("bti,phdi->pbthd", hidden_states.double(), weight)
    query, key, value = packed + bias[:, None, None]
    scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(query.size(-1))
    context = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), value).flatten(2)
    return F.linear(context, double["output.weight"], double["output.bias"]).to(hidden_states.dtype)
"""

_LIBRARY = """
def NAME(hidden_states, state, num_attention_heads):
    time_first = hidden_states.transpose(0, 1)
    output, _ = F.multi_head_attention_forward(
        time_first, time_first, time_first, hidden_states.size(-1), num_attention_heads,
        state["query_key_value.weight"], state["query_key_value.bias"], None, None, False, 0.0,
        state["output.weight"], state["output.bias"], need_weights=False,
    )
    return output.transpose(0, 1)
"""

_FUSED = """
def NAME(hidden_states, state, num_attention_heads):
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    parts = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    context = F.scaled_dot_product_attention(*parts).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])
"""

_NO_KEY_BIAS = _RIGHT.replace(
    "    packed = F",
    "    bias = bias * (torch.arange(3 * hidden) // hidden != 1)\n    packed = F",
)

_BIAS_LINE = "    packed = F"


def _without_bias(place: int) -> list[dict[str, str]]:
    """Two ways to lose the bias of query (0) or value (2)."""
    name = ("query", "key", "value")[place]
    third = f"bias[{place} * hidden : {place + 1} * hidden]"
    return [
        {_BIAS_LINE: f"    bias = bias.clone()\n    {third} = 0.0\n{_BIAS_LINE}"},
        {f"{name} = {name}.": f"{name} = ({name} - {third})."},
    ]


_SPLIT = "reshape(batch, tokens, heads, size).transpose(1, 2)"
_MERGE = "context.transpose(1, 2).reshape(batch, tokens, hidden)"

# What a mutant does, the part that it belongs to, and ways to write it: text and replacement.
_MUTANTS: list[tuple[str, str, list[dict[str, str]]]] = [
    (
        "only head 0 is used",
        "core",
        [
            {"weights @ value": "(weights @ value)[:, :1].expand(-1, heads, -1, -1)"},
            {"weights @ value": "(weights @ value) * (torch.arange(heads) == 0)[:, None, None]"},
            {"weights @ value": "weights[:, :1] @ value[:, :1].expand(-1, heads, -1, -1)"},
        ],
    ),
    (
        "W_O is missing",
        "core",
        [
            {"return output": "return context"},
            {'F.linear(context, state["output.weight"],': "context + ("},
        ],
    ),
    (
        "W_O is transposed",
        "core",
        [
            {'state["output.weight"],': 'state["output.weight"].T,'},
            {'F.linear(context, state["output.weight"],': '(context @ state["output.weight"] +'},
        ],
    ),
    (
        "interleaved heads",
        "core",
        [
            {_SPLIT: "reshape(batch, tokens, size, heads).permute(0, 3, 1, 2)"},
            {_MERGE: "context.permute(0, 2, 3, 1).reshape(batch, tokens, hidden)"},
        ],
    ),
    (
        "heads cut by reshape without transpose",
        "core",
        [{_SPLIT: "reshape(batch, heads, tokens, size)"}],
    ),
    (
        "heads merged without transposing back",
        "core",
        [{_MERGE: "context.reshape(batch, tokens, hidden)"}],
    ),
    (
        "query, key and value cut from each head's piece",
        "core",
        [
            {
                "packed.chunk(3, dim=-1)": "packed.unflatten(-1, (heads, 3, size)).unbind(3)",
            },
            {
                "F.linear(hidden_states, weight, bias)": (
                    "F.linear(hidden_states, weight, bias)"
                    ".unflatten(-1, (heads, 3, size)).transpose(2, 3).flatten(2)"
                ),
            },
        ],
    ),
    (
        "query and key exchanged",
        "core",
        [{"query @ key.": "key @ query."}, {"query, key, value = p": "key, query, value = p"}],
    ),
    ("softmax over the queries", "core", [{"softmax(dim=-1)": "softmax(dim=-2)"}]),
    ("softmax over the heads", "core", [{"softmax(dim=-1)": "softmax(dim=1)"}]),
    (
        "scores divided by √hidden",
        "core",
        [{"math.sqrt(size)": "math.sqrt(hidden)"}, {"math.sqrt(size)": "hidden**0.5"}],
    ),
    (
        "scores not divided by √head_size",
        "core",
        [{" / math.sqrt(size)": ""}, {"math.sqrt(size)": "size"}],
    ),
    (
        "all sentences get the attention weights of the first",
        "core",
        [
            {"weights @ value": "weights[:1] @ value"},
            {"softmax(dim=-1)": "softmax(dim=-1)[0].expand_as(scores)"},
        ],
    ),
    (
        "the results of the sentences are exchanged",
        "core",
        [{"return output": "return output.roll(1, 0)"}, {"return output": "return output.flip(0)"}],
    ),
    ("no bias for the queries", "biases", _without_bias(0)),
    ("no bias for the values", "biases", _without_bias(2)),
    (
        "no bias for the output",
        "biases",
        [{', state["output.bias"])': ")"}, {'state["output.bias"]': "None"}],
    ),
    (
        "weights in state are changed in place",
        "habits",
        [
            {
                _BIAS_LINE: "    weight.data[:hidden] /= math.sqrt(size)\n"
                f"    bias.data[:hidden] /= math.sqrt(size)\n{_BIAS_LINE}",
                " / math.sqrt(size)": "",
            },
            {"return output": 'state["output.weight"].data *= 0.5\n    return output'},
        ],
    ),
    (
        "hidden_states are changed in place",
        "habits",
        [
            {"return output": "hidden_states.data += output.data\n    return output"},
            {"return output": "hidden_states.data.mul_(2.0)\n    return output"},
        ],
    ),
    (
        "dropout is alive",
        "habits",
        [
            {"weights @ value": "F.dropout(weights, 0.3) @ value"},
            {"F.linear(context,": "F.linear(F.dropout(context, 0.4),"},
        ],
    ),
    (
        "cut off from autograd",
        "habits",
        [
            {"return output": "return output.detach()"},
            {"F.linear(hidden_states,": "F.linear(hidden_states.detach(),"},
            {"return output": "return output.data"},
        ],
    ),
    ("always two heads", "habits", [{"heads = num_attention_heads": "heads = 2"}]),
    ("always three heads", "habits", [{"heads = num_attention_heads": "heads = 3"}]),
    (
        "a batch of one loses its first axis",
        "habits",
        [
            {"return output": "return output.squeeze(0)"},
            {"return output": "return output[0] if batch == 1 else output"},
        ],
    ),
]

_CORRECT = {
    "packed": _RIGHT,
    "fused": _FUSED,
    "heads one by one": _LOOP,
    "einsum in float64": _EINSUM,
    "PyTorch's own function": _LIBRARY,
    "without the bias of the keys, which no output shows": _NO_KEY_BIAS,
}


_HEADS = "two heads or more, and several tokens"
_LARGE = "several tokens and heads, and weights with which the scores of a row differ by 1 or more"
_SHOWN_BY = {
    "only head 0 is used": _HEADS,
    "W_O is missing": "a W_O of random numbers",
    "W_O is transposed": "a W_O of random numbers",
    "interleaved heads": _HEADS,
    "heads cut by reshape without transpose": _HEADS,
    "heads merged without transposing back": _HEADS,
    "query, key and value cut from each head's piece": _HEADS,
    "query and key exchanged": _LARGE,
    "softmax over the queries": _LARGE,
    "softmax over the heads": _LARGE,
    "scores divided by √hidden": _LARGE,
    "scores not divided by √head_size": _LARGE,
    "all sentences get the attention weights of the first": "several different sentences",
    "the results of the sentences are exchanged": "numbers compared one by one, for two sentences",
    "no bias for the queries": "biases that are not zero",
    "no bias for the values": "biases that are not zero",
    "no bias for the output": "biases that are not zero",
    "weights in state are changed in place": "a copy of `state`, compared after the call",
    "hidden_states are changed in place": "a copy of hidden_states, compared after the call",
    "dropout is alive": "numbers compared to about 1e-4",
    "cut off from autograd": "hidden_states that require a gradient, and `backward()`",
    "always two heads": "a number of heads other than two",
    "always three heads": "a number of heads other than three",
    "a batch of one loses its first axis": "a batch of one, and a look at the shape",
}


def _source(source: str, changes: dict[str, str]) -> str:
    for old, new in changes.items():
        assert old in source, old
        source = source.replace(old, new)
    return source


def _test_cases(generator: torch.Generator) -> list[Case]:
    def drawn(choices: list) -> object:
        return choices[int(torch.randint(len(choices), (), generator=generator))]

    def case(title: str, part: str, source: str, shown_by: str = "") -> Case:
        name = drawn(["attention", "multi_head", "attend", "self_attention"])
        source = source.strip().replace("NAME", name) + "\n"
        arguments = (("name", name), ("source", source))
        return Case(title, part, arguments, driver=check.run_test, shown_by=shown_by)

    accepted = [case(f"right: {title}", "core", source) for title, source in _CORRECT.items()]
    rejected = [
        case(f"wrong: {title}", part, _source(_RIGHT, drawn(ways)), _SHOWN_BY[title])
        for title, part, ways in _MUTANTS
    ]
    return accepted + rejected


def _a_test(
    heads: tuple[int, ...] = (2, 3),
    batches: tuple[int, ...] = (3, 1),
    tokens: int = 5,
    size: int = 4,
    bias: float = 1.0,
    weight: float = 0.5,
    tolerance: float = 1e-4,
    same_tokens: bool = False,
    identity: bool = False,
    unchanged: tuple[str, ...] = ("state", "hidden_states"),
    gradient: bool = True,
    compare: Callable[[Tensor, Tensor], bool] | None = None,
) -> Callable:
    """A test of multi-head attention; its options make it blind to something."""

    @functools.cache
    def known() -> list[tuple[Tensor, State, int, Tensor]]:
        """Inputs, weights, a number of heads and the output of PyTorch's module."""
        found = []
        generator = torch.Generator().manual_seed(1)
        for place in range(max(len(heads), len(batches))):
            n_heads, batch = heads[place % len(heads)], batches[place % len(batches)]
            hidden = n_heads * size
            x = torch.randn(batch, tokens, hidden, generator=generator)
            if same_tokens:
                x = x[:, :1].expand(-1, tokens, -1).clone()
            peer = nn.MultiheadAttention(hidden, n_heads, batch_first=True).eval()
            with torch.no_grad():
                for parameter in peer.parameters():
                    scale = weight if parameter.dim() > 1 else bias
                    parameter.copy_(torch.randn(parameter.shape, generator=generator) * scale)
                if identity:
                    peer.out_proj.weight.copy_(torch.eye(hidden))
                state = {
                    "query_key_value.weight": peer.in_proj_weight.detach(),
                    "query_key_value.bias": peer.in_proj_bias.detach(),
                    "output.weight": peer.out_proj.weight.detach(),
                    "output.bias": peer.out_proj.bias.detach(),
                }
                found.append((x, state, n_heads, peer(x, x, x)[0]))
        return found

    def test_multi_head(attention):
        for x, state, n_heads, expected in known():
            given, given_state = x.clone(), {name: t.clone() for name, t in state.items()}
            given.requires_grad_(gradient)
            found = attention(given, given_state, n_heads)
            assert found.shape == expected.shape
            if compare is not None:
                assert compare(found.detach(), expected)
            else:
                assert torch.allclose(found, expected, rtol=tolerance, atol=tolerance)
            if "state" in unchanged:
                assert all(torch.equal(given_state[name], t) for name, t in state.items())
            if "hidden_states" in unchanged:
                assert torch.equal(given, x)
            if gradient:
                assert torch.autograd.grad(found.sum(), given)[0].abs().sum() > 0

    return test_multi_head


def _by_hand(attention):
    """Another test: without PyTorch's module, and without `assert`."""
    torch.manual_seed(3)
    for batch, tokens, heads, size in ((2, 6, 3, 5), (1, 4, 4, 2), (3, 1, 2, 3)):
        hidden = heads * size
        state = {
            "query_key_value.weight": torch.randn(3 * hidden, hidden) * 0.5,
            "query_key_value.bias": torch.randn(3 * hidden),
            "output.weight": torch.randn(hidden, hidden),
            "output.bias": torch.randn(hidden),
        }
        before = {name: tensor.clone() for name, tensor in state.items()}
        x = torch.randn(batch, tokens, hidden, requires_grad=True)
        numbers = x.detach().clone()
        found = attention(x, state, heads)
        if list(found.shape) != [batch, tokens, hidden]:
            raise ValueError("shape")
        exact = {name: tensor.double() for name, tensor in before.items()}
        if (found - _loop_over_heads(numbers.double(), exact, heads)).abs().max().item() > 1e-3:
            raise ValueError("numbers")
        if not x.equal(numbers) or any(not state[name].equal(before[name]) for name in before):
            raise ValueError("changed")
        found.sum().backward()
        if x.grad is None or not x.grad.any():
            raise ValueError("no gradient")


def _one_after_the_other(attention):
    for options in ({"heads": (2,), "size": 3}, {"heads": (3,), "batches": (1, 2)}, {"size": 7}):
        _a_test(**options)(attention)


def _with_testing_module(attention):
    def close(found, expected):
        torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
        return True

    _a_test(compare=close, heads=(4, 3), batches=(2, 1), tokens=7)(attention)


def _says_false(attention):
    state = _packed_state(torch.Generator().manual_seed(0), 12, 12)
    return bool(attention(torch.ones(2, 5, 12), state, 3).mean() == 0.5)


def _same_twice(attention):
    torch.manual_seed(0)
    x, hidden = torch.randn(2, 5, 12), 12
    state = _packed_state(torch.Generator().manual_seed(0), hidden, hidden)
    assert torch.equal(attention(x, state, 3), attention(x, state, 3))


def _tokens_move_along(attention):
    x = torch.randn(3, 5, 12)
    state = _packed_state(torch.Generator().manual_seed(0), 12, 12)
    order = torch.tensor([3, 0, 4, 1, 2])
    one, other = attention(x, state, 3)[:, order], attention(x[:, order], state, 3)
    assert torch.allclose(one, other, atol=1e-4)


def _wrong_call(attention):
    attention(torch.randn(2, 5, 12), 3)


TEST_MULTI_HEAD = Exercise(
    id="test_multi_head",
    title="Write the test that catches it",
    signature="test_multi_head(attention)",
    reference=_a_test(),
    cases=_test_cases,
    parts=(
        Part("core", "right versions pass; wrong heads, W_O, softmax and scale do not", 2),
        Part("biases", "a missing bias is caught", 1),
        Part("habits", "side effects, chance, no gradient, some sizes only", 1),
    ),
    minutes=25,
    difficulty=3,
    section=_COMMON,
    alternatives={
        "by hand, with raise": _by_hand,
        "in three steps": _one_after_the_other,
        "with torch.testing": _with_testing_module,
        "wider": _a_test(heads=(2, 3, 5), batches=(4, 1), tokens=3, size=6, tolerance=1e-3),
    },
    mistakes=(
        Mistake(
            "says_false",
            "The test accepts everything. A test speaks by raising an error: what it returns "
            "(True or False) is not looked at. Use `assert`.",
            _says_false,
        ),
        Mistake(
            "rejects_everything",
            "The test rejects everything, right versions too. Does it run at all (call "
            "`attention(hidden_states, state, num_attention_heads)`)? Are the numbers right that "
            "it expects, and does it allow for rounding?",
            _wrong_call,
        ),
        Mistake(
            "shape_only",
            "The test looks at shapes; nearly all mistakes give the right shape. Compare numbers.",
            _a_test(compare=lambda *_: True, unchanged=(), gradient=False),
        ),
        Mistake(
            "same_twice",
            "The test compares the implementation with itself, so only what changes from call to "
            "call is caught. Compare with numbers from elsewhere.",
            _same_twice,
        ),
        Mistake(
            "tokens_move_along",
            "The test checks that tokens which are shuffled give shuffled outputs. That is true of "
            "most wrong versions, too: compare with numbers from elsewhere.",
            _tokens_move_along,
        ),
        Mistake(
            "exact",
            "The test asks for exactly equal numbers. Right versions add in different orders and "
            "differ in the last digits: allow 1e-5 or so.",
            _a_test(compare=torch.equal),
        ),
        Mistake(
            "loose",
            "Numbers that are far off pass: is the tolerance too wide?",
            _a_test(tolerance=2.0),
        ),
        Mistake(
            "one_head",
            "Mistakes of heads go unseen: does the test use a single head? With one, their order "
            "does not matter.",
            _a_test(heads=(1,)),
        ),
        Mistake(
            "one_token",
            "Mistakes of scores and softmax go unseen: does the test use a single token? Its "
            "softmax is 1 whatever the scores are.",
            _a_test(tokens=1),
        ),
        Mistake(
            "batch_of_one",
            "Sentences that mix go unseen: does the test use a batch of one and no other, or "
            "compare the first sentence alone?",
            _a_test(batches=(1,)),
        ),
        Mistake(
            "same_tokens",
            "Mistakes of scores and softmax go unseen: are all tokens of a sentence equal in the "
            "test? Then every value is the same, and the weights do not matter.",
            _a_test(same_tokens=True),
        ),
        Mistake(
            "small_weights",
            "Mistakes of the scores go unseen: are the weights in the test so small that all "
            "scores of a row are about the same?",
            _a_test(weight=0.004),
        ),
        Mistake(
            "identity_output",
            "A missing or transposed W_O goes unseen: is it the identity in the test?",
            _a_test(identity=True),
        ),
        Mistake(
            "zero_biases",
            "A bias that is forgotten goes unseen: are the biases zero in the test, as "
            "`nn.MultiheadAttention` begins with? Draw them.",
            _a_test(bias=0.0),
            points=3,
        ),
        Mistake(
            "without_gradient",
            "The test does not see that a result is cut off from autograd: ask for a gradient.",
            _a_test(gradient=False),
            points=3,
        ),
        Mistake(
            "state_unwatched",
            "The test does not see that weights in `state` are changed: keep a copy and compare "
            "afterwards.",
            _a_test(unchanged=("hidden_states",)),
            points=3,
        ),
        Mistake(
            "inputs_unwatched",
            "The test does not see that hidden_states are changed: keep a copy and compare "
            "afterwards.",
            _a_test(unchanged=("state",)),
            points=3,
        ),
        Mistake(
            "both_unwatched",
            "The test does not see that its arguments are changed, neither hidden_states nor "
            "`state`: keep copies and compare afterwards.",
            _a_test(unchanged=()),
            points=3,
        ),
        Mistake(
            "output_alone",
            "The test compares outputs and nothing else: changed arguments and a missing gradient "
            "go unseen.",
            _a_test(unchanged=(), gradient=False),
            points=3,
        ),
        Mistake(
            "two_heads_only",
            "A number of heads that is fixed at two passes: does the test use two heads and no "
            "other number?",
            _a_test(heads=(2,)),
            points=3,
        ),
        Mistake(
            "three_heads_only",
            "A number of heads that is fixed at three passes: does the test use three heads and "
            "no other number?",
            _a_test(heads=(3,)),
            points=3,
        ),
        Mistake(
            "no_batch_of_one",
            "A version that loses an axis for a batch of one passes: does the test use such a "
            "batch?",
            _a_test(batches=(3,)),
            points=3,
        ),
    ),
)


EXERCISES = [
    PACKED_ATTENTION,
    FLAX_TO_TORCH,
    CROSS_ATTENTION,
    REPAIRED_HEADS,
    TEST_MULTI_HEAD,
]
