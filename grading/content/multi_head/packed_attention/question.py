"""Exercise 1: multi-head attention from packed weights, with masks of every form."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from grading.check import gradient_of_each
from grading.content.drawing import normal, one_of, redrawn
from grading.content.multi_head.sections import PACKED
from grading.content.multi_head.shared import (
    draw_mask,
    draw_padding,
    draw_sizes,
    einsum_packed,
    four_dimensions,
    fused_packed,
    loop_over_heads,
    packed_state,
)
from grading.exercise import Case, Part, Question


def packed_attention(hidden_states, state, num_attention_heads, mask=None):
    """Self-attention of all heads, [batch, tokens, hidden], from packed weights."""
    weight, bias = state["query_key_value.weight"], state["query_key_value.bias"]
    head_size = len(weight) // 3 // num_attention_heads
    packed = F.linear(hidden_states, weight, bias)  # [batch, tokens, 3 * heads * head_size]
    query, key, value = (
        part.unflatten(-1, (num_attention_heads, head_size)).transpose(1, 2)
        for part in packed.chunk(3, dim=-1)
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        keep = mask
        if mask.dim() == 2 and mask.size(0) == len(hidden_states):
            keep = mask[:, None, None, :]  # [batch, key]
        elif mask.dim() == 3:
            keep = mask[:, None]  # [batch, query, key]
        empty = ~keep.any(dim=-1, keepdim=True)
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    context = weights @ value
    context = context.transpose(1, 2).flatten(2)
    return F.linear(context, state["output.weight"], state["output.bias"])


def _packed_cases(generator: torch.Generator) -> list[Case]:
    def case(
        title, part, mask=None, batch=None, beside=0, as_heads=False, three=False, again=False,
        queries_of_zero=False, one=None, like_tokens=None, **options,
    ):  # fmt: skip
        n_b, tokens, heads, size = draw_sizes(generator)
        heads, size = (
            tokens if like_tokens == name else n for name, n in (("heads", heads), ("size", size))
        )
        heads, size = 1 if one == "head" else heads, 1 if one == "number" else size
        if three:  # sentences of three lengths, so that whose mask it is shows in each of them
            n_b, tokens, heads, size = 3, 5, *one_of(generator, (2, 4), (4, 2))
        batch = batch or n_b
        heads = batch if as_heads else heads
        hidden = heads * size + beside
        arguments = [
            ("hidden_states", normal(generator, batch, tokens, hidden)),
            ("state", packed_state(generator, hidden, heads * size)),
            ("num_attention_heads", heads),
        ]
        if options.get("strided"):  # a dictionary's tensors have names, not places
            arguments[1] = ("state", dict(reversed(arguments[1][1].items())))
        if queries_of_zero:  # so that scores of the last token, which is none of padding, are 0
            arguments[0][1][:, -1] = 0.0
            arguments[1][1]["query_key_value.bias"][: heads * size] = 0.0
        if mask is not None:
            arguments.append(("mask", mask(batch, heads, tokens)))
        if again:
            *others, mask = (redrawn(generator, value) for _, value in arguments)
            options["again"] = ((*others, torch.ones_like(mask)),)  # nothing is hidden, then
        return Case(title, part, tuple(arguments), **options)

    def padding(batch, heads, tokens):
        return draw_padding(generator, batch, tokens)

    def padding_in_front(batch, heads, tokens):
        return draw_padding(generator, batch, tokens).flip(-1)

    def first_full(batch, heads, tokens):
        mask = draw_padding(generator, batch, tokens)
        mask[0] = True
        return mask

    def holes_but_in_the_last(batch, heads, tokens):
        mask = draw_mask(generator, batch, tokens)
        mask[-1] = True
        mask[0, :3] = torch.tensor([True, False, True])
        mask[1] = torch.arange(tokens) % 2 == 1  # padding at both ends
        return mask

    def by_token(batch, heads, tokens):
        mask = draw_mask(generator, tokens, tokens)
        mask[0, :2], mask[1, 0], mask[1, 1] = True, False, True  # not the same if transposed
        return mask

    def by_sentence(batch, heads, tokens):
        return draw_mask(generator, batch, tokens, tokens)

    def by_sentence_first_full(batch, heads, tokens):
        mask = by_sentence(batch, heads, tokens)
        mask[0] = True
        return mask

    def by_sentence_last_full(batch, heads, tokens):
        return by_sentence_first_full(batch, heads, tokens).flip(0)

    def by_head(batch, heads, tokens):
        return draw_mask(generator, batch, heads, tokens, tokens)

    def empty_sentence(batch, heads, tokens):
        mask = draw_padding(generator, batch, tokens)
        mask[-1] = False
        return mask

    def nothing(batch, heads, tokens):
        return torch.zeros(batch, tokens, dtype=torch.bool)

    def empty_query(batch, heads, tokens):
        mask = draw_mask(generator, batch, heads, tokens, tokens)
        mask[0, -1, -1] = False
        return mask

    return [
        case("no mask, as many heads as tokens", "core", like_tokens="heads"),
        case("a mask [batch, key]", "core", first_full, three=True),
        case(
            "a batch of one, a single head, some scores are 0",
            "core",
            padding_in_front,
            batch=1,
            one="head",
            like_tokens="size",
            queries_of_zero=True,
        ),
        case(
            "tensors that are transposed views, in another order",
            "core",
            padding,
            like_tokens="size",
            strided=True,
        ),
        case(
            "called again with other numbers",
            "core",
            holes_but_in_the_last,
            batch=6,
            three=True,
            again=True,
        ),
        case("a mask [query, key]", "masks", by_token),
        case("a mask [batch, query, key]", "masks", by_sentence_first_full, three=True),
        case("the same, as many heads as sentences", "masks", by_sentence_last_full, as_heads=True),
        case("a mask [batch, heads, query, key]", "masks", by_head, three=True),
        case("heads of one number, narrower than hidden", "sizes", beside=5, one="number"),
        case("all heads together wider than hidden", "sizes", padding, beside=-1),
        case("a mask that is False everywhere", "corner", nothing),
        case("a query that may see nothing in one head", "corner", empty_query),
        case(
            "gradients",
            "corner",
            empty_query,
            gradient=True,
            harness=gradient_of_each,
        ),
        case("gradients, a sentence that is all padding", "corner", empty_sentence, gradient=True),
    ]


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
        added = added.masked_fill(~four_dimensions(mask, batch), torch.finfo(torch.float32).min)
    added = added.flatten(0, 1)
    weights = torch.baddbmm(added, query / query.size(-1) ** 0.5, key.transpose(1, 2)).softmax(-1)
    weights = weights * (added.amax(-1, keepdim=True) == 0)
    context = torch.bmm(weights, value).transpose(0, 1).reshape(tokens, batch, -1).transpose(0, 1)
    return context @ state["output.weight"].T + state["output.bias"]


def _in_double(hidden_states, state, num_attention_heads, mask=None):
    state = {name: tensor.double() for name, tensor in state.items()}
    return fused_packed(hidden_states.double(), state, num_attention_heads, mask).float()


QUESTION = Question(
    id="packed_attention",
    title="Packed weights, masks of every form",
    signature="packed_attention(hidden_states, state, num_attention_heads, mask=None)",
    reference=packed_attention,
    cases=_packed_cases,
    parts=(
        Part("core", "self-attention of many heads; no mask, and a mask [batch, key]", 2),
        Part("masks", "the other three forms of a mask", 1),
        Part("sizes", "heads of any size, not only hidden / heads", 1),
        Part("corner", "a query that may see nothing; gradients", 1),
    ),
    minutes=40,
    difficulty=2,
    section=PACKED,
    alternatives={
        "loop over heads, results added up": loop_over_heads,
        "einsum": einsum_packed,
        "fused": fused_packed,
        "heads in the batch, added mask": _batches_of_heads,
        "in float64": _in_double,
    },
)
