"""Exercise 1: attention weights of sequences in the layout [tokens, batch, d_k]."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.check import gradient_of_each
from grading.content.defaults import called_again
from grading.content.drawing import draw_sizes
from grading.content.simple_attention.shared import draw_small_integers, normal
from grading.exercise import Case, Part, Question
from solutions.simple_attention import attention_weights


def weights_time_first(query, key):
    """Return attention weights ``[batch, queries, keys]`` of sequences that have time first."""
    query = query.transpose(0, 1)  # [batch, queries, d_k]
    key = key.transpose(0, 1)  # [batch, keys, d_k]
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    weights = scores.softmax(dim=-1)
    return weights


def _time_first_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", queries=None, keys=None, batch=None, square=False, **options):
        n_q, n_k, n_b, d_k = draw_sizes(generator, 4, low=3)
        if d_k == 4:  # whose root is a whole number, as if it had been cut down to one
            n_q, d_k = d_k, n_q
        n_k = d_k if queries == 1 else n_k  # keys that would fit as they are, not turned
        if square:
            n_q = n_k = n_b
        # Small scores: what is cut off at 10 or so shows in those of ±300, and nowhere else.
        query = normal(generator, queries or n_q, batch or n_b, d_k, size=0.9)
        key = normal(generator, keys or n_k, batch or n_b, d_k, size=0.9)
        return Case(title, part, (("query", query), ("key", key)), **options)

    def again(title, **sizes):
        first = case(title, **sizes)
        first.arguments[0][1][0] = 0.0  # the first query's scores are all exactly 0
        return called_again(generator, first)

    # Rows whose scores lie around +300 and around -300: e^300 overflows, and a maximum taken over
    # all rows makes every number of the low rows e^-600 = 0. One key's lie 20 nearer to 0. In the
    # first row the first key's lies at the other end: only the maximum may be subtracted.
    query, key = (draw_small_integers(generator, n, 2, 16) for n in (4, 3))
    query[..., 0] = torch.tensor([40.0, -40.0, 40.0, -40.0]).unsqueeze(1)
    query[..., 1], query[0, :, 1] = 0.0, 40.0
    key[..., 0] = 30.0
    key[1, :, 0] = 28.0
    key[0, :, 1] = -60.0
    large = (("query", query), ("key", key))

    return [
        case("a batch of sequences"),
        case("one query, as many keys as numbers in each", queries=1),
        case("a batch of one, a single key", queries=7, keys=1, batch=1),
        case("transposed views, as many queries and keys as sentences", square=True, strided=True),
        again("called again with other numbers", queries=8, keys=8, batch=10),
        case("gradients", "sound", gradient=True, harness=gradient_of_each),
        Case("scores of ±300", "sound", large),
    ]


def _loop_time_first(query: Tensor, key: Tensor) -> Tensor:
    batches = []
    for b in range(query.size(1)):
        rows = []
        for i in range(query.size(0)):
            products = [query[i, b] @ key[j, b] for j in range(key.size(0))]
            rows.append(torch.stack(products).div(query.size(-1) ** 0.5).softmax(0))
        batches.append(torch.stack(rows))
    return torch.stack(batches)


def _exponentials_of_logarithms(query: Tensor, key: Tensor) -> Tensor:
    scores = torch.einsum("ibd,jbd->bij", query, key) / math.sqrt(key.size(-1))
    return (scores - scores.logsumexp(-1, keepdim=True)).exp()


QUESTION = Question(
    id="weights_time_first",
    title="Time first",
    signature="weights_time_first(query, key)",
    reference=weights_time_first,
    cases=_time_first_cases,
    parts=(
        Part("core", "the weights, for any batch and any two lengths", 2),
        Part("sound", "large scores and gradients", 1),
    ),
    minutes=10,
    difficulty=1,
    section="“Batches, and any leading dimensions” in chapter 1",
    alternatives={
        "einsum": lambda query, key: (
            torch.einsum("ibd,jbd->bij", query, key) / key.shape[-1] ** 0.5
        ).softmax(-1),
        "loop": _loop_time_first,
        "bmm, keys scaled first": lambda query, key: F.softmax(
            torch.bmm(query.permute(1, 0, 2), (key / key.size(-1) ** 0.5).permute(1, 2, 0)), dim=2
        ),
        "in float64": lambda query, key: attention_weights(
            query.double().transpose(0, 1), key.double().transpose(0, 1)
        ).to(query.dtype),
        "library attention on an identity": lambda query, key: F.scaled_dot_product_attention(
            query.transpose(0, 1),
            key.transpose(0, 1),
            torch.eye(key.size(0)).expand(query.size(1), -1, -1),
        ),
        "log-sum-exp": _exponentials_of_logarithms,
    },
)
