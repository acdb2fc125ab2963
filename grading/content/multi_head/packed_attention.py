"""Packed weights, masks of every form."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import normal
from grading.content.multi_head.sections import (
    COMMON,
    MASKS,
    ONE_HEAD,
    OUTPUT,
    PACKED,
    SIZE,
    UNSEEN,
)
from grading.content.multi_head.shared import (
    State,
    draw_mask,
    draw_padding,
    draw_sizes,
    masked_softmax,
    packed_state,
    softmax_mistakes,
    wrong_weights,
)
from grading.exercise import Case, Exercise, Mistake, Part


def _four_dimensions(mask: Tensor, batch: int) -> Tensor:
    if mask.dim() == 2:
        return mask[:, None, None] if mask.size(0) == batch else mask[None, None]
    return mask[:, None] if mask.dim() == 3 else mask


def packed_variant(
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
        context = wrong_weights(scores, keep, wrong) @ value  # [batch, heads, tokens, size]
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


_packed_attention = packed_variant()


def _packed_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, mask=None, batch=None, beside=0, as_heads=False, **options):
        n_b, tokens, heads, size = draw_sizes(generator)
        batch = batch or n_b
        heads = batch if as_heads else heads
        hidden = heads * size + beside
        arguments = [
            ("hidden_states", normal(generator, batch, tokens, hidden)),
            ("state", packed_state(generator, hidden, heads * size)),
            ("num_attention_heads", heads),
        ]
        if mask is not None:
            arguments.append(("mask", mask(batch, heads, tokens)))
        return Case(title, part, tuple(arguments), **options)

    def padding(batch, heads, tokens):
        return draw_padding(generator, batch, tokens)

    def by_token(batch, heads, tokens):
        return draw_mask(generator, tokens, tokens)

    def by_sentence(batch, heads, tokens):
        return draw_mask(generator, batch, tokens, tokens)

    def by_head(batch, heads, tokens):
        return draw_mask(generator, batch, heads, tokens, tokens)

    def empty_sentence(batch, heads, tokens):
        mask = draw_padding(generator, batch, tokens)
        mask[-1] = False
        return mask

    def empty_query(batch, heads, tokens):
        mask = draw_mask(generator, batch, heads, tokens, tokens)
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


def loop_over_heads(hidden_states, state, num_attention_heads, mask=None):
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
        context = masked_softmax(scores, None if keep is None else keep[:, head]) @ value
        written = context @ state["output.weight"][:, head * size : (head + 1) * size].T
        result = result + written
    return result


def einsum_packed(hidden_states, state, num_attention_heads, mask=None):
    sizes = (3, num_attention_heads, -1)
    weight = state["query_key_value.weight"].unflatten(0, sizes)
    bias = state["query_key_value.bias"].unflatten(0, sizes)
    query, key, value = (
        torch.einsum("bti,phdi->pbhtd", hidden_states, weight) + bias[:, None, :, None]
    )
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) * query.size(-1) ** -0.5
    keep = None if mask is None else _four_dimensions(mask, len(hidden_states)).expand_as(scores)
    matrix = state["output.weight"].unflatten(1, (num_attention_heads, -1))
    context = torch.einsum("bhqk,bhkd->bhqd", masked_softmax(scores, keep), value)
    return torch.einsum("bhqd,ohd->bqo", context, matrix) + state["output.bias"]


def fused_packed(hidden_states, state, num_attention_heads, mask=None):
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
    return fused_packed(hidden_states.double(), state, num_attention_heads, mask).float()


def _changed_in_place(hidden_states, state, num_attention_heads, mask=None):
    size = state["output.weight"].size(1) // num_attention_heads
    state["query_key_value.weight"][: num_attention_heads * size] *= size**-0.5
    state["query_key_value.bias"][: num_attention_heads * size] *= size**-0.5
    return packed_variant(frozenset({"no_scale"}))(hidden_states, state, num_attention_heads, mask)


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


def nan_replaced_in_output(hidden_states, state, num_attention_heads, mask=None):
    """The NaN is replaced where the heads meet; the gradient of the values has met it already."""
    packed = F.linear(hidden_states, state["query_key_value.weight"], state["query_key_value.bias"])
    query, key, value = packed.unflatten(-1, (3, num_attention_heads, -1)).permute(2, 0, 3, 1, 4)
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~_four_dimensions(mask, len(hidden_states)), -math.inf)
    context = (scores.softmax(-1) @ value).nan_to_num(0.0).transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])


def raises(*arguments):
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


EXERCISE = Exercise(
    id="packed_attention",
    title="Packed weights, masks of every form",
    signature="packed_attention(hidden_states, state, num_attention_heads, mask=None)",
    reference=_packed_attention,
    variant=packed_variant,
    cases=_packed_cases,
    parts=(
        Part("core", "self-attention of many heads; no mask, and a mask [batch, key]", 2),
        Part("masks", "the other three forms of a mask", 1),
        Part("sizes", "heads of any size, not only hidden / heads", 1),
        Part("corner", "a query that may see nothing; gradients", 1),
    ),
    minutes=25,
    difficulty=2,
    section=PACKED,
    alternatives={
        "loop over heads, results added up": loop_over_heads,
        "einsum": einsum_packed,
        "fused": fused_packed,
        "heads in the batch, added mask": _batches_of_heads,
        "in float64": _in_double,
    },
    mistakes=(
        *softmax_mistakes(packed_variant),
        Mistake(
            "scale_head_size",
            "The scores are divided by head_size itself; divide by its square root.",
            packed_variant(frozenset({"scale_head_size"})),
            section=COMMON,
        ),
        Mistake(
            "scale_all_heads",
            "The scores are divided by the root of heads × head_size, the width of all heads "
            "together; each product is a sum over the head_size numbers of one head.",
            packed_variant(frozenset({"scale_all_heads"})),
            section=COMMON,
        ),
        Mistake(
            "scale_heads",
            "The scores are divided by the root of the number of heads; each product is a sum over "
            "the head_size numbers of one head, so divide by √head_size.",
            packed_variant(frozenset({"scale_heads"})),
            section=COMMON,
        ),
        Mistake(
            "scale_hidden",
            "The scores are divided by √hidden, `hidden_states.size(-1)`; each product is a sum "
            "over the head_size numbers of one head, so divide by √head_size.",
            _scale_hidden,
            section=COMMON,
        ),
        Mistake(
            "scale_hidden_per_head",
            "The scores are divided by the root of hidden / heads. That is the head size only if "
            "all heads together are as wide as hidden_states; take it from the packed weight.",
            packed_variant(frozenset({"scale_hidden_per_head"})),
            points=4,
            section=SIZE,
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
            packed_variant(frozenset({"interleaved"})),
        ),
        Mistake(
            "split_interleaved",
            "The heads are put together rightly but cut as [head_size, heads], so head 0 gets "
            "numbers 0, heads, 2·heads … The numbers of a head lie next to each other.",
            packed_variant(frozenset({"split_interleaved"})),
            section=COMMON,
        ),
        Mistake(
            "merged_interleaved",
            "The heads are cut rightly but put together as [head_size, heads]: W_O then reads "
            "numbers of all heads in turn. Head 0 comes first with all of its numbers.",
            packed_variant(frozenset({"merged_interleaved"})),
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
            packed_variant(frozenset({"roles_exchanged"})),
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
            packed_variant(frozenset({"no_output"})),
            section=OUTPUT,
        ),
        Mistake(
            "output_transposed",
            "W_O is used the wrong way round: a weight is [out, in], so it is `context @ "
            "weight.T`, or `F.linear`. Where it is square, no shape tells you.",
            packed_variant(frozenset({"output_transposed"})),
            section=ONE_HEAD,
        ),
        Mistake(
            "no_output_bias",
            "The bias of the output projection is missing.",
            packed_variant(frozenset({"no_output_bias"})),
            section=OUTPUT,
        ),
        Mistake(
            "no_projection_bias",
            "The bias of the packed projection is not added.",
            packed_variant(frozenset({"no_projection_bias"})),
        ),
        Mistake(
            "no_query_bias",
            "The bias is missing from the queries. (That of the keys could be missing, too: no "
            "output shows it.)",
            _no_part_of_bias(0),
            section=UNSEEN,
        ),
        Mistake(
            "no_value_bias",
            "The bias is missing from the values.",
            _no_part_of_bias(2),
            section=UNSEEN,
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
            packed_variant(frozenset({"mask_ignored"})),
            section=MASKS,
        ),
        Mistake(
            "inverted",
            "The mask is used the wrong way round: in this exercise True means that the query "
            "may look at the key. (In `nn.MultiheadAttention` it means the opposite.)",
            section=MASKS,
        ),
        Mistake(
            "zero_score",
            "Hidden scores are 0 (filled with 0 or multiplied by the mask), and e⁰ = 1 is a full "
            "share for the softmax. Set them to minus infinity.",
            packed_variant(frozenset({"zero_score"})),
            section=MASKS,
        ),
        Mistake(
            "zeroed_after_softmax",
            "Hidden weights are set to 0 after the softmax, so the rows sum to less than 1. Mask "
            "the scores, before the softmax.",
            packed_variant(frozenset({"zeroed_after_softmax"})),
            section=MASKS,
        ),
        Mistake(
            "mask_at_queries",
            "A mask [batch, key] is laid over the queries, as [batch, 1, key, 1]; it belongs to "
            "the keys, [batch, 1, 1, key].",
            packed_variant(expand=_at_queries),
            section=MASKS,
        ),
        Mistake(
            "causal",
            "Later keys are hidden as well, as a decoder needs it. Here the mask alone says who "
            "may look at whom.",
            packed_variant(frozenset({"causal"})),
            section=MASKS,
        ),
        Mistake(
            "double_softmax",
            "The softmax is applied twice, which flattens the weights.",
            packed_variant(frozenset({"double_softmax"})),
        ),
        Mistake(
            "added_mask",
            "The mask is added to the scores as ones and zeros, so that what is hidden only loses "
            "1. Hide with minus infinity.",
            packed_variant(frozenset({"added_mask"})),
            section=MASKS,
        ),
        Mistake(
            "residual",
            "The input is added to the result. That is a residual connection, which a later "
            "chapter puts around attention; here only what attention brings is asked for.",
            lambda hidden_states, *others: (
                hidden_states + _packed_attention(hidden_states, *others)
            ),
            section=OUTPUT,
        ),
        Mistake(
            "error_everywhere",
            "It ends with an error in every case, with and without a mask: read the error of the "
            "first case.",
            raises,
            any_error=True,
        ),
        Mistake(
            "crash_without_mask",
            "It fails when no mask is given: test `mask is not None` before using it.",
            _crash_without_mask,
            any_error=True,
            section=MASKS,
        ),
        Mistake(
            "two_as_queries",
            "It fails on a mask [batch, key] with more than one sentence. Two dimensions can mean "
            "two things: if the first is the batch, make it [batch, 1, 1, key].",
            packed_variant(
                expand=lambda mask, batch: (
                    mask if mask.dim() == 2 else _four_dimensions(mask, batch)
                )
            ),
            any_error=True,
            section=MASKS,
        ),
        Mistake(
            "two_as_padding",
            "It fails on a mask [query, key]. Two dimensions can mean two things: if the first is "
            "not the batch, make it [1, 1, query, key].",
            packed_variant(
                expand=lambda mask, batch: (
                    mask[:, None, None] if mask.dim() == 2 else _four_dimensions(mask, batch)
                )
            ),
            points=4,
            any_error=True,
            section=MASKS,
        ),
        Mistake(
            "three_refused",
            "It fails on a mask [batch, query, key]. Give it an axis of size 1 for the heads: "
            "[batch, 1, query, key].",
            packed_variant(expand=_no_three),
            points=4,
            any_error=True,
            section=MASKS,
        ),
        Mistake(
            "three_at_heads",
            "A mask [batch, query, key] has no axis for the heads: where there are as many heads "
            "as sentences, head b gets the mask of sentence b, elsewhere it fails. Make it "
            "[batch, 1, query, key].",
            packed_variant(
                expand=lambda mask, batch: (
                    mask if mask.dim() == 3 else _four_dimensions(mask, batch)
                )
            ),
            points=4,
            any_error=True,
            section=COMMON,
        ),
        Mistake(
            "four_refused",
            "It fails on a mask [batch, heads, query, key], which has its four dimensions already: "
            "use it as it is.",
            packed_variant(expand=_no_four),
            points=3,
            any_error=True,
            section=MASKS,
        ),
        Mistake(
            "four_first_head",
            "Of a mask [batch, heads, query, key] only that of head 0 is used, for all heads.",
            packed_variant(expand=lambda mask, batch: _four_dimensions(mask, batch)[:, :1]),
            points=3,
            section=MASKS,
        ),
        Mistake(
            "padding_only",
            "It fails with masks of all forms but [batch, key]: the number of dimensions, "
            "`mask.dim()`, says which axes are missing.",
            points=3,
            any_error=True,
            section=MASKS,
        ),
        Mistake(
            "fixed_head_size",
            "It fails where all heads together are not as wide as hidden_states. The head size "
            "follows from the packed weight: a third of its rows, divided by the heads.",
            points=4,
            any_error=True,
            section=SIZE,
        ),
        Mistake(
            "nan_row",
            "A query that may see nothing gives NaN: a softmax over nothing but −∞ is 0/0. Every "
            "head must give it zeros, so that the bias of the output is left.",
            points=4,
            section=MASKS,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a query may see nothing the gradient is NaN: a NaN "
            "that is replaced after the softmax (`nan_to_num`, `where`) still poisons the backward "
            "pass. Keep such rows from reaching the softmax as −∞.",
            packed_variant(frozenset({"nan_gradient"})),
            equivalent=(nan_replaced_in_output,),
            points=4,
            section=MASKS,
        ),
        Mistake(
            "finite_fill",
            "A query that may see nothing gets the plain average of all values, because the fill "
            "is a finite number, the same for all. Every head must give it zeros.",
            packed_variant(frozenset({"finite_fill"})),
            points=4,
            section=MASKS,
        ),
        Mistake(
            "zeros_behind_output",
            "A query that may see nothing gets zeros as its result; it is its heads that give "
            "zeros. They pass through the output projection, so that its bias is left.",
            _zeros_behind_output,
            points=4,
            section=MASKS,
        ),
        Mistake(
            "small_added",
            "A query that may see nothing looks at everything: a finite number such as −1e4 is "
            "added to all scores of its row, and softmax ignores what is added to all. Every head "
            "must give it zeros.",
            packed_variant(frozenset({"small_added"})),
            points=4,
            section=MASKS,
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
            packed_variant(frozenset({"dropout"})),
        ),
    ),
)
