"""Time first."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content.drawing import draw_sizes
from grading.content.simple_attention.sections import MASKS, ROOT, SOFTMAX
from grading.content.simple_attention.shared import draw_small_integers, normal
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.simple_attention import attention_weights


def _weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    return attention_weights(query.transpose(0, 1), key.transpose(0, 1))


def _time_first_scores(query: Tensor, key: Tensor) -> Tensor:
    return query.transpose(0, 1) @ key.permute(1, 2, 0)  # [batch, queries, keys], not scaled


def _time_first_scaled(query: Tensor, key: Tensor) -> Tensor:
    return _time_first_scores(query, key) / math.sqrt(query.size(-1))


def _time_first_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", queries=None, keys=None, batch=None, **options):
        n_q, n_k, n_b, d_k = draw_sizes(generator, 4, low=3)
        query = normal(generator, queries or n_q, batch or n_b, d_k)
        key = normal(generator, keys or n_k, batch or n_b, d_k)
        return Case(title, part, (("query", query), ("key", key)), **options)

    # Rows whose scores lie around +300 and around -300: e^300 overflows, and a maximum taken over
    # all rows makes every number of the low rows e^-600 = 0.
    query, key = (draw_small_integers(generator, n, 2, 16) for n in (4, 3))
    query[..., 0] = torch.tensor([40.0, -40.0, 40.0, -40.0]).unsqueeze(1)
    key[..., 0] = 30.0
    large = (("query", query), ("key", key))

    return [
        case("a batch of sequences"),
        case("one query, many keys", queries=1),
        case("a batch of one", batch=1),
        case("tensors that are transposed views", strided=True),
        case("gradients", part="sound", gradient=True),
        Case("scores of ±300", "sound", large),
    ]


def _global_maximum(query: Tensor, key: Tensor) -> Tensor:
    scores = _time_first_scaled(query, key)
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def _no_maximum(query: Tensor, key: Tensor) -> Tensor:
    exponentials = _time_first_scaled(query, key).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


def _loop_time_first(query: Tensor, key: Tensor) -> Tensor:
    batches = []
    for b in range(query.size(1)):
        rows = []
        for i in range(query.size(0)):
            products = [query[i, b] @ key[j, b] for j in range(key.size(0))]
            rows.append(torch.stack(products).div(query.size(-1) ** 0.5).softmax(0))
        batches.append(torch.stack(rows))
    return torch.stack(batches)


EXERCISE = Exercise(
    id="weights_time_first",
    title="Time first",
    signature="weights_time_first(query, key)",
    reference=_weights_time_first,
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
        "log-sum-exp": lambda query, key: (
            _time_first_scaled(query, key)
            - _time_first_scaled(query, key).logsumexp(-1, keepdim=True)
        ).exp(),
    },
    mistakes=(
        Mistake(
            "no_scale",
            "These are the numbers you get without dividing the scores by √d_k.",
            lambda query, key: _time_first_scores(query, key).softmax(-1),
            section=ROOT,
        ),
        Mistake(
            "scale_d_k",
            "The scores are divided by d_k itself; divide by its square root.",
            lambda query, key: (_time_first_scores(query, key) / query.size(-1)).softmax(-1),
            section=ROOT,
        ),
        Mistake(
            "times_root_d_k",
            "The scores are multiplied by √d_k; they must be divided by it.",
            lambda query, key: (_time_first_scores(query, key) * query.size(-1) ** 0.5).softmax(-1),
            section=ROOT,
        ),
        Mistake(
            "scale_keys",
            "The scores are divided by the root of the number of keys; d_k is the length of one "
            "query or key vector, `query.size(-1)`.",
            lambda query, key: (_time_first_scores(query, key) / key.size(0) ** 0.5).softmax(-1),
            section=ROOT,
        ),
        Mistake(
            "scale_queries",
            "The scores are divided by the root of the number of queries; d_k is the length of one "
            "query or key vector, `query.size(-1)`.",
            lambda query, key: (_time_first_scores(query, key) / query.size(0) ** 0.5).softmax(-1),
            section=ROOT,
        ),
        Mistake(
            "scale_batch",
            "The scores are divided by the root of the batch size; in this layout `size(1)` is the "
            "batch, and d_k is `query.size(-1)`.",
            lambda query, key: (_time_first_scores(query, key) / query.size(1) ** 0.5).softmax(-1),
            section=ROOT,
        ),
        Mistake(
            "scaled_after_softmax",
            "The weights are divided by √d_k after the softmax, so their rows no longer sum to 1; "
            "scale the scores before it.",
            lambda query, key: _time_first_scores(query, key).softmax(-1) / query.size(-1) ** 0.5,
            section=SOFTMAX,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries: the columns sum to 1, and it is the rows that "
            "must. Use `dim=-1`.",
            lambda query, key: _time_first_scaled(query, key).softmax(-2),
            section=SOFTMAX,
        ),
        Mistake(
            "softmax_over_batch",
            "The softmax runs over the batch, so that sequences which have nothing to do with "
            "each other compete. Use `dim=-1`.",
            lambda query, key: _time_first_scaled(query, key).softmax(0),
            section=SOFTMAX,
        ),
        Mistake(
            "no_softmax",
            "These are the scaled scores; the softmax is missing.",
            _time_first_scaled,
            section=SOFTMAX,
        ),
        Mistake(
            "double_softmax",
            "The softmax is applied twice, which flattens the weights.",
            lambda query, key: _time_first_scaled(query, key).softmax(-1).softmax(-1),
            section=SOFTMAX,
        ),
        Mistake(
            "log_softmax",
            "These are logarithms of the weights: use `softmax`, not `log_softmax`.",
            lambda query, key: _time_first_scaled(query, key).log_softmax(-1),
            section=SOFTMAX,
        ),
        Mistake(
            "sigmoid",
            "Each score went through a sigmoid on its own; a softmax makes the keys of a row "
            "compete, so that the row sums to 1.",
            lambda query, key: _time_first_scaled(query, key).sigmoid(),
            section=SOFTMAX,
        ),
        Mistake(
            "divided_by_sum",
            "Each row of scores is divided by its sum, without the exponential; scores can be "
            "negative, and so are these weights.",
            lambda query, key: (
                _time_first_scaled(query, key)
                / _time_first_scaled(query, key).sum(-1, keepdim=True)
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "divided_by_largest",
            "The exponentials of a row are divided by the largest of them; divide by their sum, so "
            "that the row sums to 1.",
            lambda query, key: (
                _time_first_scaled(query, key)
                - _time_first_scaled(query, key).amax(-1, keepdim=True)
            ).exp(),
            section=SOFTMAX,
        ),
        Mistake(
            "no_keepdim",
            "In the softmax by hand the sum of a row lost its axis, so that it meets another axis "
            "of the exponentials, or none: `sum(dim=-1, keepdim=True)`.",
            lambda query, key: (
                _time_first_scaled(query, key).softmax(-1)
                / _time_first_scaled(query, key).softmax(-1).sum(-1)
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "key_reversed",
            "`key.T` turns round all three axes; exchange the last two alone, with "
            "`transpose(-2, -1)`, when the batch stands in front.",
            lambda query, key: (
                query.transpose(0, 1) @ key.permute(2, 1, 0) / math.sqrt(query.size(-1))
            ).softmax(-1),
        ),
        Mistake(
            "hard_maximum",
            "Each row is 1 at its largest score and 0 elsewhere: that is the argmax. The softmax "
            "leaves something for the other keys.",
            lambda query, key: F.one_hot(_time_first_scaled(query, key).argmax(-1), key.size(0)).to(
                query.dtype
            ),
            section=SOFTMAX,
        ),
        Mistake(
            "cosine",
            "Queries and keys are normalised to length 1 before the product: that is cosine "
            "similarity. The scaled dot product keeps their lengths.",
            lambda query, key: _time_first_scaled(
                F.normalize(query, dim=-1), F.normalize(key, dim=-1)
            ).softmax(-1),
        ),
        Mistake(
            "cosine_unscaled",
            "These are weights from cosine similarity (vectors of length 1, no scale). The scaled "
            "dot product keeps the lengths and divides by √d_k.",
            lambda query, key: _time_first_scores(
                F.normalize(query, dim=-1), F.normalize(key, dim=-1)
            ).softmax(-1),
        ),
        Mistake(
            "roles_exchanged",
            "Query and key are exchanged: row i must belong to query i, so the product is "
            "query · keyᵀ.",
            lambda query, key: _time_first_scaled(key, query).softmax(-1),
        ),
        Mistake(
            "transposed_result",
            "The softmax runs over the keys, but the result is transposed: the last axis must be "
            "the keys.",
            lambda query, key: _time_first_scaled(query, key).softmax(-1).transpose(-2, -1),
        ),
        Mistake(
            "read_as_batch_first",
            "The first axis was taken for the batch. In this layout it is time: exchange the first "
            "two axes before multiplying.",
            lambda query, key: (query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))).softmax(
                -1
            ),
        ),
        Mistake(
            "query_left_time_first",
            "Only the keys were brought into the layout [batch, tokens, d_k]; the queries still "
            "have time first. Exchange the first two axes of both.",
            lambda query, key: (query @ key.permute(1, 2, 0) / math.sqrt(query.size(-1))).softmax(
                -1
            ),
            any_error=True,  # what shows it are the two cases in which the shapes happen to fit
        ),
        Mistake(
            "key_left_time_first",
            "Only the queries were brought into the layout [batch, tokens, d_k]; the keys still "
            "have time first. Exchange the first two axes of both.",
            lambda query, key: (
                query.transpose(0, 1) @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
            ).softmax(-1),
            any_error=True,
        ),
        Mistake(
            "result_time_first",
            "The weights are right but laid out as [queries, batch, keys]; the batch comes first "
            "in the result.",
            lambda query, key: _time_first_scaled(query, key).softmax(-1).transpose(0, 1),
        ),
        Mistake(
            "reshaped",
            "The first two axes are exchanged with `view` or `reshape`, which keeps the numbers "
            "in their order and so mixes sequences. Use `transpose(0, 1)`.",
            lambda query, key: attention_weights(
                query.reshape(query.size(1), query.size(0), -1),
                key.reshape(key.size(1), key.size(0), -1),
            ),
        ),
        Mistake(
            "base_two",
            "The powers are taken to the base 2 instead of e.",
            lambda query, key: (_time_first_scaled(query, key) * math.log(2)).softmax(-1),
            section=SOFTMAX,
        ),
        Mistake(
            "sign",
            "The scores have the wrong sign: keys that match least get the most.",
            lambda query, key: (-_time_first_scaled(query, key)).softmax(-1),
            section=SOFTMAX,
        ),
        Mistake(
            "distance",
            "The scores are distances between query and key; they must be dot products.",
            lambda query, key: (
                -torch.cdist(query.transpose(0, 1), key.transpose(0, 1)) / math.sqrt(query.size(-1))
            ).softmax(-1),
            section="“Step 1: scores” in chapter 1",
        ),
        Mistake(
            "absolute_scores",
            "The scores lost their sign before the softmax (`abs`).",
            lambda query, key: _time_first_scaled(query, key).abs().softmax(-1),
            section=SOFTMAX,
        ),
        Mistake(
            "clipped_scores",
            "Negative scores were set to 0 before the softmax (`relu`, `clamp`); e⁰ = 1 is a "
            "large share.",
            lambda query, key: _time_first_scaled(query, key).relu().softmax(-1),
            section=SOFTMAX,
        ),
        Mistake(
            "causal",
            "Later keys are hidden, as a decoder needs it. Here every query may look at every key.",
            lambda query, key: attention_weights(
                query.transpose(0, 1),
                key.transpose(0, 1),
                torch.ones(query.size(0), key.size(0), dtype=torch.bool).tril(),
            ),
            section=MASKS,
        ),
        Mistake(
            "summed_over_batch",
            "The product sums over the batch as well, so all sequences have the same weights. "
            "In `einsum` the batch's letter must stand in the result.",
            lambda query, key: (
                (torch.einsum("ibd,jbd->ij", query, key) / math.sqrt(query.size(-1)))
                .softmax(-1)
                .expand(query.size(1), -1, -1)
            ),
        ),
        Mistake(
            "first_sequence_only",
            "All sequences get the weights of the first one.",
            lambda query, key: (
                _time_first_scaled(query, key).softmax(-1)[:1].expand(query.size(1), -1, -1)
            ),
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`, or a new tensor built from numbers), so nothing could be learned.",
            lambda query, key: _time_first_scaled(query, key).softmax(-1).detach(),
            points=2,
        ),
        Mistake(
            "overflow",
            "The exponentials overflow at large scores: inf/inf is NaN. Subtract each row's "
            "maximum first, or use `softmax`, which does.",
            _no_maximum,
            points=2,
            section=SOFTMAX,
        ),
        Mistake(
            "global_maximum",
            "One maximum is subtracted from all rows: rows that lie far below it underflow to "
            "0/0. Each row needs its own maximum (`dim=-1, keepdim=True`).",
            _global_maximum,
            points=2,
            section=SOFTMAX,
        ),
    ),
)
