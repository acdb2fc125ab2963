"""Exercise 3: attention over all keys, merged from two halves that saw different keys."""

from __future__ import annotations

import dataclasses
import math

import torch

from grading.check import gradient_of_each
from grading.content.defaults import called_again
from grading.content.drawing import draw_sizes
from grading.content.simple_attention.sections import SOFTMAX
from grading.content.simple_attention.shared import normal
from grading.exercise import Case, Part, Question


def merge_halves(output_a, lse_a, output_b, lse_b):
    """Return output and log-sum-exp of attention over all keys, from those of two halves."""
    lse = torch.logaddexp(lse_a, lse_b)  # [..., queries]
    seen = lse.masked_fill(lse == -math.inf, 0.0)  # -inf - -inf would be NaN
    share_a = (lse_a - seen).exp()
    share_b = (lse_b - seen).exp()
    output = share_a.unsqueeze(-1) * output_a + share_b.unsqueeze(-1) * output_b
    return output, lse


def _merge_cases(generator: torch.Generator) -> list[Case]:
    names = ("output_a", "lse_a", "output_b", "lse_b")

    def half(shape, queries, keys, d_v, shift):
        scores = normal(generator, *shape, queries, keys, size=1.7) + shift
        # Of large log-sum-exps the last digit shows in the shares, but not in small values.
        size = 1.3 if torch.as_tensor(shift).abs().max() < 10 else 0.4
        output = scores.softmax(-1) @ normal(generator, *shape, keys, d_v, size=size)
        return [output, scores.logsumexp(-1)]

    def case(
        title, part, shift_a=0.0, shift_b=0.0, empty=(), dims=2, one=False, tie=False,
        exchanged=False, **options,
    ):  # fmt: skip
        *shape, queries, d_v = draw_sizes(generator, 2 + dims)
        queries, d_v = (1, 1) if one else (queries, d_v)
        if exchanged:  # the halves have their shifts the other way round for the last query
            last = torch.arange(queries).unsqueeze(-1) == queries - 1
            shift_a, shift_b = (
                torch.where(last, *shifts) for shifts in ((shift_b, shift_a), (shift_a, shift_b))
            )
        tensors = half(shape, queries, 3, d_v, shift_a) + half(shape, queries, 8, d_v, shift_b)
        if tie:  # the last query has seen as much in one half as in the other
            tensors[3][..., -1] = tensors[1][..., -1]
        for a in empty:  # the first query saw no key in this half, and nor did all of a sequence
            tensors[a][..., 0, :] = 0.0
            tensors[a + 1][..., 0] = -math.inf
            tensors[a][0] = 0.0
            tensors[a + 1][0] = -math.inf
        if empty:  # zeros elsewhere say nothing of the kind
            output_a, lse_a, output_b, lse_b = tensors
            output_a[-1, 0, -1], output_b[-1, 0, -1], lse_b[-1, 0, -1] = 0.0, 0.0, 0.0
            output_b[-1, -1, -1], lse_a[-1, -1, -1] = 0.0, 0.0
        return Case(title, part, tuple(zip(names, tensors, strict=True)), **options)

    # One query's scores lie around +115, the next one's around -115: one maximum for all queries
    # leaves nothing of the second. From 128 on rounding would show in the shares.
    shift = torch.tensor([115.0, -115.0])
    scores_a, scores_b = (normal(generator, 3, 2, keys) + shift[:, None] for keys in (4, 7))
    halves = []
    for scores in (scores_a, scores_b):
        values = normal(generator, 3, scores.size(-1), 5, size=0.4)
        halves += [scores.softmax(-1) @ values, scores.logsumexp(-1)]
    far = Case("queries 230 apart", "large", tuple(zip(names, halves, strict=True)))
    repeated = called_again(generator, case("called again with other numbers", "core", dims=3))
    gradients = case("gradients", "large", dims=1)

    return [
        far,
        dataclasses.replace(gradients, gradient=True, harness=gradient_of_each),
        case("a batch of heads, two equal log-sum-exps", "core", tie=True),
        repeated,
        case("one sequence", "core", dims=0),
        case("one query, one number in a value, four axes in front", "core", dims=4, one=True),
        case(
            "a batch, transposed views, the second half weighs more",
            "core",
            shift_b=2.0,
            dims=1,
            strided=True,
        ),
        case("scores around 115", "large", shift_a=115.0, shift_b=115.0),
        case("scores around −115", "large", shift_a=-115.0, shift_b=-115.0),
        case(
            "scores 179 apart, and gradients",
            "large",
            shift_a=-64.0,
            shift_b=115.0,
            exchanged=True,
            gradient=True,
        ),
        case("first half empty for a query", "empty", empty=(0,)),
        case("second half empty for a query", "empty", empty=(2,)),
        case("both halves empty for a query", "empty", empty=(0, 2)),
    ]


def _stacked_merge(output_a, lse_a, output_b, lse_b):
    lse = torch.stack([lse_a, lse_b])
    shares = lse.softmax(0).nan_to_num(0.0).unsqueeze(-1)
    return (torch.stack([output_a, output_b]) * shares).sum(0), lse.logsumexp(0)


def _sigmoid_merge(output_a, lse_a, output_b, lse_b):
    share = torch.sigmoid(lse_a - lse_b).nan_to_num(0.0).unsqueeze(-1)
    return share * output_a + (1 - share) * output_b, torch.logaddexp(lse_a, lse_b)


def _maximum_merge(output_a, lse_a, output_b, lse_b):
    largest = torch.maximum(lse_a, lse_b).clamp(min=-1e30)
    a, b = (lse_a - largest).exp(), (lse_b - largest).exp()
    total = (a + b).clamp(min=1e-30).unsqueeze(-1)
    output = (a.unsqueeze(-1) * output_a + b.unsqueeze(-1) * output_b) / total
    return output, torch.where(a + b > 0, largest + (a + b).log(), -math.inf)


QUESTION = Question(
    id="merge_halves",
    title="Two halves make a whole",
    signature="merge_halves(output_a, lse_a, output_b, lse_b)",
    reference=merge_halves,
    cases=_merge_cases,
    parts=(
        Part("core", "the merged output and log-sum-exp", 2),
        Part("large", "large scores of either sign, and gradients", 1),
        Part("empty", "queries that saw no key in a half, or in both", 1),
    ),
    minutes=30,
    difficulty=3,
    section=SOFTMAX,
    alternatives={
        "softmax over the stacked halves": _stacked_merge,
        "sigmoid of the difference": _sigmoid_merge,
        "running maximum": _maximum_merge,
        "in float64": lambda *halves: tuple(
            part.float() for part in _stacked_merge(*(half.double() for half in halves))
        ),
    },
)
