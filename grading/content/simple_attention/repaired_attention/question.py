"""Exercise 4, a bug hunt: a call of PyTorch's attention with three bugs."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from grading.check import gradient_of_each
from grading.content.drawing import draw_sizes, redrawn
from grading.content.simple_attention.shared import draw_more_keys, draw_padded_mask, normal
from grading.exercise import Case, Part, Question
from solutions.simple_attention import scaled_dot_product_attention


def repaired_attention(query, key, value, is_padding):
    """Return attention in which padding takes no part, ``[batch, queries, d_v]``."""
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=~is_padding.unsqueeze(1),
        dropout_p=0.0,
        scale=1 / math.sqrt(key.size(-1)),
    )


def _repaired_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", batch=None, empty=False, again=False, square=False, **options):
        n_b, queries, d_k, d_v = draw_sizes(generator, 4)
        batch, keys = batch or n_b, draw_more_keys(generator)
        keys = 13 if batch == 1 else keys  # never the number of the other cases
        if again:  # keys that would fit as they are, not turned, and values that are longer
            queries, d_k, d_v = keys, keys, keys + 4
        queries = n_b if square else queries  # a mask that would fit a sentence's scores as it is
        if batch == 1:
            queries, d_v = 1, 1
        query, key, value = (
            normal(generator, batch, *shape) for shape in ((queries, d_k), (keys, d_k), (keys, d_v))
        )
        is_padding = draw_padded_mask(generator, batch, keys) == 0
        is_padding[0, -1] = part == "corner" or batch == 1  # else the first one is full
        if again:  # between tokens and at both ends; and a query whose scores are all exactly 0
            is_padding[:, 1] = True
            is_padding[0, [0, -1]], is_padding[-1] = True, False  # and the last one is full
            query[:, 0] = 0.0
        if batch == 1:  # in front
            is_padding = is_padding.flip(-1)
        if empty:
            is_padding[-1] = True
        arguments = {"query": query, "key": key, "value": value, "is_padding": is_padding}
        if again:
            *others, _ = (redrawn(generator, value) for value in arguments.values())
            options["again"] = ((*others, torch.zeros_like(is_padding)),)  # no padding, then
        return Case(title, part, tuple(arguments.items()), **options)

    nothing = case("nothing but padding in all sentences", "corner")
    nothing.arguments[3][1][:] = True
    return [
        case("as many queries as padded sentences", square=True),
        case("a batch of one, one query, one number in a value", batch=1),
        case("called again with other numbers", batch=7, again=True),
        case("gradients", "corner", gradient=True, harness=gradient_of_each),
        case("a sentence that is all padding, and gradients", "corner", empty=True, gradient=True),
        nothing,
    ]


QUESTION = Question(
    id="repaired_attention",
    title="Bug hunt: attention that reads the padding",
    signature="repaired_attention(query, key, value, is_padding)",
    reference=repaired_attention,
    cases=_repaired_cases,
    parts=(
        Part("core", "all three bugs are gone", 2),
        Part("corner", "nothing but padding; gradients", 1),
    ),
    minutes=15,
    difficulty=2,
    section="“Masks: who may look at whom” and “Common mistakes” in chapter 1",
    alternatives={
        "library": lambda query, key, value, is_padding: F.scaled_dot_product_attention(
            query, key, value, attn_mask=~is_padding.unsqueeze(1)
        ),
        "by hand": lambda query, key, value, is_padding: scaled_dot_product_attention(
            query, key, value, ~is_padding[:, None, :]
        ),
        "additive mask": lambda query, key, value, is_padding: F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=torch.zeros(is_padding.shape).masked_fill(is_padding, -math.inf)[:, None],
        ),
        "with a head axis": lambda query, key, value, is_padding: F.scaled_dot_product_attention(
            query.unsqueeze(1),
            key.unsqueeze(1),
            value.unsqueeze(1),
            attn_mask=is_padding.logical_not()[:, None, None, :],
        ).squeeze(1),
    },
)
