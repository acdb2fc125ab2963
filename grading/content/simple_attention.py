"""Assignment 1, simple attention: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Sizes in a case are pairwise different and scores have a standard deviation of 1 to 3, so that a
wrong axis or a wrong scale shows. Where scores are huge they are whole numbers and d_k is 16, so
that every correct way to compute them gives the same float32 numbers.
"""

from __future__ import annotations

import dataclasses
import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grading.content import simple_attention_judges as judges
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.simple_attention import attention_weights, scaled_dot_product_attention

ASSIGNMENT = "01_simple_attention"

_ROOT = "“Step 2: divide by √d_k” in chapter 1"
_SOFTMAX = "“Step 3: softmax” in chapter 1"
_MASKS = "“Masks: who may look at whom” in chapter 1"


def _sizes(generator: torch.Generator, count: int, low: int = 2) -> list[int]:
    """Draw pairwise different sizes, none of them a d_k whose root would hide a mistake."""
    return (torch.randperm(count + 1, generator=generator)[:count] + low).tolist()


def _more_keys(generator: torch.Generator) -> int:
    """Draw a number of keys larger than all other sizes."""
    return int(torch.randint(9, 13, (), generator=generator))


def _normal(generator: torch.Generator, *shape: int, size: float = 1.3) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


def _small_integers(generator: torch.Generator, *shape: int) -> Tensor:
    return torch.randint(-2, 3, shape, generator=generator).float()


# ---- Exercise 1: weights_time_first ------------------------------------------------------------


def _weights_time_first(query: Tensor, key: Tensor) -> Tensor:
    return attention_weights(query.transpose(0, 1), key.transpose(0, 1))


def _time_first_scores(query: Tensor, key: Tensor) -> Tensor:
    return query.transpose(0, 1) @ key.permute(1, 2, 0)  # [batch, queries, keys], not scaled


def _time_first_scaled(query: Tensor, key: Tensor) -> Tensor:
    return _time_first_scores(query, key) / math.sqrt(query.size(-1))


def _time_first_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", queries=None, keys=None, batch=None, **options):
        n_q, n_k, n_b, d_k = _sizes(generator, 4, low=3)
        query = _normal(generator, queries or n_q, batch or n_b, d_k)
        key = _normal(generator, keys or n_k, batch or n_b, d_k)
        return Case(title, part, (("query", query), ("key", key)), **options)

    # Rows whose scores lie around +300 and around -300: e^300 overflows, and a maximum taken over
    # all rows makes every number of the low rows e^-600 = 0.
    query, key = (_small_integers(generator, n, 2, 16) for n in (4, 3))
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


WEIGHTS_TIME_FIRST = Exercise(
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
            section=_ROOT,
        ),
        Mistake(
            "scale_d_k",
            "The scores are divided by d_k itself; divide by its square root.",
            lambda query, key: (_time_first_scores(query, key) / query.size(-1)).softmax(-1),
            section=_ROOT,
        ),
        Mistake(
            "times_root_d_k",
            "The scores are multiplied by √d_k; they must be divided by it.",
            lambda query, key: (_time_first_scores(query, key) * query.size(-1) ** 0.5).softmax(-1),
            section=_ROOT,
        ),
        Mistake(
            "scale_keys",
            "The scores are divided by the root of the number of keys; d_k is the length of one "
            "query or key vector, `query.size(-1)`.",
            lambda query, key: (_time_first_scores(query, key) / key.size(0) ** 0.5).softmax(-1),
            section=_ROOT,
        ),
        Mistake(
            "scale_queries",
            "The scores are divided by the root of the number of queries; d_k is the length of one "
            "query or key vector, `query.size(-1)`.",
            lambda query, key: (_time_first_scores(query, key) / query.size(0) ** 0.5).softmax(-1),
            section=_ROOT,
        ),
        Mistake(
            "scale_batch",
            "The scores are divided by the root of the batch size; in this layout `size(1)` is the "
            "batch, and d_k is `query.size(-1)`.",
            lambda query, key: (_time_first_scores(query, key) / query.size(1) ** 0.5).softmax(-1),
            section=_ROOT,
        ),
        Mistake(
            "scaled_after_softmax",
            "The weights are divided by √d_k after the softmax, so their rows no longer sum to 1; "
            "scale the scores before it.",
            lambda query, key: _time_first_scores(query, key).softmax(-1) / query.size(-1) ** 0.5,
            section=_SOFTMAX,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries: the columns sum to 1, and it is the rows that "
            "must. Use `dim=-1`.",
            lambda query, key: _time_first_scaled(query, key).softmax(-2),
            section=_SOFTMAX,
        ),
        Mistake(
            "softmax_over_batch",
            "The softmax runs over the batch, so that sequences which have nothing to do with "
            "each other compete. Use `dim=-1`.",
            lambda query, key: _time_first_scaled(query, key).softmax(0),
            section=_SOFTMAX,
        ),
        Mistake(
            "no_softmax",
            "These are the scaled scores; the softmax is missing.",
            _time_first_scaled,
            section=_SOFTMAX,
        ),
        Mistake(
            "double_softmax",
            "The softmax is applied twice, which flattens the weights.",
            lambda query, key: _time_first_scaled(query, key).softmax(-1).softmax(-1),
            section=_SOFTMAX,
        ),
        Mistake(
            "log_softmax",
            "These are logarithms of the weights: use `softmax`, not `log_softmax`.",
            lambda query, key: _time_first_scaled(query, key).log_softmax(-1),
            section=_SOFTMAX,
        ),
        Mistake(
            "sigmoid",
            "Each score went through a sigmoid on its own; a softmax makes the keys of a row "
            "compete, so that the row sums to 1.",
            lambda query, key: _time_first_scaled(query, key).sigmoid(),
            section=_SOFTMAX,
        ),
        Mistake(
            "divided_by_sum",
            "Each row of scores is divided by its sum, without the exponential; scores can be "
            "negative, and so are these weights.",
            lambda query, key: (
                _time_first_scaled(query, key)
                / _time_first_scaled(query, key).sum(-1, keepdim=True)
            ),
            section=_SOFTMAX,
        ),
        Mistake(
            "divided_by_largest",
            "The exponentials of a row are divided by the largest of them; divide by their sum, so "
            "that the row sums to 1.",
            lambda query, key: (
                _time_first_scaled(query, key)
                - _time_first_scaled(query, key).amax(-1, keepdim=True)
            ).exp(),
            section=_SOFTMAX,
        ),
        Mistake(
            "no_keepdim",
            "In the softmax by hand the sum of a row lost its axis, so that it meets another axis "
            "of the exponentials, or none: `sum(dim=-1, keepdim=True)`.",
            lambda query, key: (
                _time_first_scaled(query, key).softmax(-1)
                / _time_first_scaled(query, key).softmax(-1).sum(-1)
            ),
            section=_SOFTMAX,
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
            section=_SOFTMAX,
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
            section=_SOFTMAX,
        ),
        Mistake(
            "sign",
            "The scores have the wrong sign: keys that match least get the most.",
            lambda query, key: (-_time_first_scaled(query, key)).softmax(-1),
            section=_SOFTMAX,
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
            section=_SOFTMAX,
        ),
        Mistake(
            "clipped_scores",
            "Negative scores were set to 0 before the softmax (`relu`, `clamp`); e⁰ = 1 is a "
            "large share.",
            lambda query, key: _time_first_scaled(query, key).relu().softmax(-1),
            section=_SOFTMAX,
        ),
        Mistake(
            "causal",
            "Later keys are hidden, as a decoder needs it. Here every query may look at every key.",
            lambda query, key: attention_weights(
                query.transpose(0, 1),
                key.transpose(0, 1),
                torch.ones(query.size(0), key.size(0), dtype=torch.bool).tril(),
            ),
            section=_MASKS,
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
            section=_SOFTMAX,
        ),
        Mistake(
            "global_maximum",
            "One maximum is subtracted from all rows: rows that lie far below it underflow to "
            "0/0. Each row needs its own maximum (`dim=-1, keepdim=True`).",
            _global_maximum,
            points=2,
            section=_SOFTMAX,
        ),
    ),
)


# ---- Exercise 2: padded_heads ------------------------------------------------------------------


def _padded_heads(query, key, value, attention_mask=None):
    mask = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
    return scaled_dot_product_attention(query, key, value, mask)


def _scores(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))


def _broken_padded_heads(hide=None, weigh=None, scale=None, none=None):
    """Build a wrong implementation out of the step that is wrong.

    ``hide(scores, keep)`` and ``weigh(scores, keep)`` get the padding mask as booleans
    ``[batch, 1, 1, keys]``, True for tokens that may be seen.
    """

    def implementation(query, key, value, attention_mask=None):
        scores = query @ key.transpose(-2, -1) / (scale or _root_d_k)(query, value)
        if attention_mask is None:
            weights = scores.softmax(-1) if none is None else none(scores)
        else:
            keep = attention_mask.bool()[:, None, None, :]
            weights = weigh(scores, keep) if weigh else hide(scores, keep).softmax(-1)
        return weights @ value

    return implementation


def _root_d_k(query: Tensor, value: Tensor) -> float:
    return math.sqrt(query.size(-1))


def _hide(scores: Tensor, keep: Tensor) -> Tensor:
    """The right way to hide, and the right answer when everything is hidden."""
    empty = ~keep.any(-1, keepdim=True)
    return scores.masked_fill(~keep & ~empty, -math.inf)


def _weigh(scores: Tensor, keep: Tensor) -> Tensor:
    return _hide(scores, keep).softmax(-1) * keep.any(-1, keepdim=True)


def _filled(fill: float):
    return _broken_padded_heads(lambda scores, keep: scores.masked_fill(~keep, fill))


def _padded_mask(generator: torch.Generator, batch: int, keys: int, left: bool = False) -> Tensor:
    """Ones for tokens and zeros for padding: every sentence has another length, one is full."""
    lengths = torch.randperm(keys - 2, generator=generator)[:batch] + 1
    lengths[0] = keys
    mask = (torch.arange(keys) < lengths.unsqueeze(1)).long()
    return mask.flip(-1) if left else mask


def _padded_heads_cases(generator: torch.Generator) -> list[Case]:
    def draw(left=False, heads=None, mask=True, queries_too=False):
        batch, n_heads, queries, d_k, d_v = _sizes(generator, 5)
        keys = _more_keys(generator)
        if queries_too:
            batch, n_heads, queries = 2, 3, keys
        shapes = [(queries, d_k), (keys, d_k), (keys, d_v)]
        query, key, value = (
            _normal(generator, batch, heads(batch) if heads else n_heads, *shape)
            for shape in shapes
        )
        arguments = [("query", query), ("key", key), ("value", value)]
        if mask:
            arguments.append(("attention_mask", _padded_mask(generator, batch, keys, left)))
        return tuple(arguments)

    empty = draw()
    empty[3][1][-1] = 0

    # Scores that are allowed lie near -20000, far below a finite "minus infinity" such as -1e4.
    query = _small_integers(generator, 2, 3, 5, 16)
    key = _small_integers(generator, 2, 3, 4, 16)
    query[..., 0], key[..., 0] = 400.0, -200.0
    value = _normal(generator, 2, 3, 4, 6)
    low = (("query", query), ("key", key), ("value", value))
    low_mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])

    return [
        Case("padding on the right", "core", draw()),
        Case("padding on the left", "core", draw(left=True)),
        Case("as many heads as sentences", "core", draw(heads=lambda batch: batch)),
        Case("tensors that are transposed views", "core", draw(), strided=True),
        Case("gradients", "core", draw(), gradient=True),
        Case("as many queries as keys", "core", draw(queries_too=True)),
        Case("no mask given", "none", draw(mask=False)),
        Case("attention_mask=None", "none", (*draw(mask=False), ("attention_mask", None))),
        Case("a sentence that is all padding", "corner", empty),
        Case("its gradients", "corner", empty, gradient=True),
        Case("scores near −20000", "corner", (*low, ("attention_mask", low_mask))),
    ]


def _in_place(query, key, value, attention_mask=None):
    if attention_mask is not None:
        value *= attention_mask[:, None, :, None]
    return _padded_heads(query, key, value, attention_mask)


def _inner_broadcast(shape: tuple):
    """A mask that was given its extra axes in the wrong places."""

    def implementation(query, key, value, attention_mask=None):
        if attention_mask is None:
            return _padded_heads(query, key, value)
        keep = attention_mask.bool()[shape]
        return _weigh(_scores(query, key), keep.expand(*_scores(query, key).shape)) @ value

    return implementation


def _mask_at_queries(fill: float, empty: float | None = None):
    """The mask lies on the queries, so whole rows are hidden: their weights are ``empty``."""

    def implementation(query, key, value, attention_mask=None):
        if attention_mask is None:
            return _padded_heads(query, key, value)
        keep = attention_mask.bool()[:, None, :, None]
        weights = _scores(query, key).masked_fill(~keep, fill).softmax(-1)
        return (weights if empty is None else weights.masked_fill(~keep, empty)) @ value

    return implementation


_AT_QUERIES = (
    "The mask is laid over the queries, as [batch, 1, keys, 1]: it fails where there are fewer "
    "queries than keys, and elsewhere hides whole rows{}. It belongs to the keys, "
    "[batch, 1, 1, keys]."
)


def _crash_without_mask(query, key, value, attention_mask=None):
    keep = attention_mask.bool()[:, None, None, :]
    return _weigh(_scores(query, key), keep) @ value


def _loop_padded_heads(query, key, value, attention_mask=None):
    outputs = torch.zeros(*query.shape[:-1], value.size(-1))
    outputs = list(outputs.unbind(0))
    for b in range(query.size(0)):
        seen = slice(None) if attention_mask is None else attention_mask[b].nonzero().squeeze(-1)
        k, v = key[b][:, seen], value[b][:, seen]
        if k.size(1):
            outputs[b] = _scores(query[b], k).softmax(-1) @ v
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


PADDED_HEADS = Exercise(
    id="padded_heads",
    title="Padding under many heads",
    signature="padded_heads(query, key, value, attention_mask=None)",
    reference=_padded_heads,
    cases=_padded_heads_cases,
    parts=(
        Part("core", "padding gets no weight, in any sentence and head", 3),
        Part("none", "works without a mask", 1),
        Part("corner", "nothing but padding; very low scores", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_MASKS,
    alternatives={
        "library": lambda query, key, value, attention_mask=None: F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=None if attention_mask is None else attention_mask[:, None, None].bool(),
        ),
        "loop over sentences": _loop_padded_heads,
        "einsum and an additive mask": _einsum_padded_heads,
        "in float64": lambda query, key, value, attention_mask=None: _padded_heads(
            query.double(), key.double(), value.double(), attention_mask
        ).to(query.dtype),
        "lowest float and zeroed rows": _broken_padded_heads(
            weigh=lambda scores, keep: (
                scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1) * keep
            )
        ),
        "exponentials of what is seen": _broken_padded_heads(
            weigh=lambda scores, keep: (
                ((scores - _hide(scores, keep).amax(-1, keepdim=True)).clamp(max=0).exp() * keep)
                / ((scores - _hide(scores, keep).amax(-1, keepdim=True)).clamp(max=0).exp() * keep)
                .sum(-1, keepdim=True)
                .clamp(min=1e-30)
            )
        ),
    },
    mistakes=(
        Mistake(
            "inverted",
            "The mask is used the wrong way round: the padding is attended to and the tokens are "
            "hidden. In `attention_mask` a 1 is a token.",
            _broken_padded_heads(lambda scores, keep: scores.masked_fill(keep, -math.inf)),
        ),
        Mistake(
            "inverted_in_library",
            "The mask is used the wrong way round: PyTorch's function lets a key take part where "
            "`attn_mask` is True, so pass True for tokens, `attention_mask == 1`.",
            lambda query, key, value, attention_mask=None: F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=None if attention_mask is None else attention_mask[:, None, None] == 0,
            ),
            section=_MASKS,
        ),
        Mistake(
            "mask_ignored",
            "The mask has no effect: padding gets weight as any other token.",
            _broken_padded_heads(lambda scores, keep: scores),
        ),
        Mistake(
            "zero_score",
            "Hidden scores are 0 (filled with 0 or 1e-10, multiplied by the mask, or computed from "
            "keys that were set to 0), and e⁰ = 1 is a full share for the softmax. Set them to "
            "minus infinity.",
            _filled(1e-10),
            same_results=(
                _filled(0.0),
                _broken_padded_heads(lambda scores, keep: scores * keep),
                lambda query, key, value, attention_mask=None: _padded_heads(
                    query,
                    key if attention_mask is None else key * attention_mask[:, None, :, None],
                    value,
                ),
            ),
        ),
        Mistake(
            "added_mask",
            "The mask of ones and zeros is added to the scores as it is: padding only loses 1. "
            "Add 0 for tokens and minus infinity for padding.",
            _broken_padded_heads(lambda scores, keep: scores + keep),
        ),
        Mistake(
            "added_inverted",
            "Minus a large number is added where the mask is 1, so the tokens are hidden and the "
            "padding is seen. It belongs where the mask is 0.",
            _broken_padded_heads(lambda scores, keep: scores + keep * -1e9),
        ),
        Mistake(
            "plus_fill",
            "Hidden scores are filled with a large positive number, so padding gets all the "
            "weight. The sign is wrong.",
            _filled(1e10),
        ),
        Mistake(
            "zeroed_after_softmax",
            "The weights of padding (or its values) are set to 0 after the softmax, but the other "
            "weights are not scaled up again: they sum to less than 1. Mask the scores, before "
            "the softmax.",
            _broken_padded_heads(weigh=lambda scores, keep: scores.softmax(-1) * keep),
            same_results=(
                lambda query, key, value, attention_mask=None: scaled_dot_product_attention(
                    query,
                    key,
                    value if attention_mask is None else value * attention_mask[:, None, :, None],
                ),
            ),
        ),
        Mistake(
            "mask_at_heads",
            "The mask got its extra axes in the wrong places, so sentence b's mask is applied to "
            "head b (or to query b). [batch, keys] becomes [batch, 1, 1, keys].",
            _inner_broadcast((None, slice(None), None, slice(None))),
            same_results=(_inner_broadcast((slice(None), None, slice(None))),),
            any_error=True,  # what shows it is the case in which the shapes happen to fit
        ),
        Mistake(
            "mask_at_queries",
            _AT_QUERIES.format(", whose result is NaN"),
            _mask_at_queries(-math.inf),
        ),
        Mistake(
            "mask_at_queries_zeros",
            _AT_QUERIES.format(", whose result is zeros"),
            _mask_at_queries(-math.inf, 0.0),
        ),
        Mistake(
            "mask_at_queries_average",
            _AT_QUERIES.format(", whose result is the average of all values"),
            _mask_at_queries(-1e9),
        ),
        Mistake(
            "mask_unexpanded",
            "The mask of shape [batch, keys] meets scores of shape [batch, heads, queries, keys] "
            "as it is. Give it two axes of size 1: [batch, 1, 1, keys].",
            _inner_broadcast((slice(None), slice(None))),
        ),
        Mistake(
            "first_sentence_mask",
            "Every sentence is masked like the first one.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query,
                key,
                value,
                None if attention_mask is None else attention_mask[:1].expand_as(attention_mask),
            ),
        ),
        Mistake(
            "no_scale",
            "These are the numbers you get without dividing the scores by √d_k.",
            _broken_padded_heads(weigh=_weigh, scale=lambda query, value: 1.0),
            section=_ROOT,
        ),
        Mistake(
            "scale_d_k",
            "The scores are divided by d_k itself; divide by its square root.",
            _broken_padded_heads(weigh=_weigh, scale=lambda query, value: query.size(-1)),
            section=_ROOT,
        ),
        Mistake(
            "scale_d_v",
            "The scores are divided by √d_v, the length of the values; the products are sums over "
            "d_k numbers, so divide by √d_k.",
            _broken_padded_heads(weigh=_weigh, scale=lambda q, value: math.sqrt(value.size(-1))),
            section=_ROOT,
        ),
        Mistake(
            "scale_all_heads",
            "The scores are divided by the root of heads × d_k, the width of all heads together; "
            "each product is a sum over the d_k numbers of one head.",
            _broken_padded_heads(
                weigh=_weigh, scale=lambda q, value: math.sqrt(q.size(-1) * q.size(1))
            ),
            section=_ROOT,
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries (`dim=-2`); it must run over the keys, `dim=-1`.",
            _broken_padded_heads(
                weigh=lambda scores, keep: _hide(scores, keep).softmax(-2),
                none=lambda scores: scores.softmax(-2),
            ),
            section=_SOFTMAX,
        ),
        Mistake(
            "softmax_over_heads",
            "The softmax runs over the heads (`dim=1`); it must run over the keys, `dim=-1`.",
            _broken_padded_heads(
                weigh=lambda scores, keep: _hide(scores, keep).softmax(1),
                none=lambda scores: scores.softmax(1),
            ),
            section=_SOFTMAX,
        ),
        Mistake(
            "dropout",
            "Dropout is alive: the weights are dropped by chance, and the same input gives "
            "different results. Grading is evaluation: leave it out.",
            _broken_padded_heads(
                weigh=lambda scores, keep: F.dropout(_weigh(scores, keep), 0.1),
                none=lambda scores: F.dropout(scores.softmax(-1), 0.1),
            ),
        ),
        Mistake(
            "causal",
            "Later keys are hidden as well, as a decoder needs it. Here a query may look at "
            "every token of its sentence.",
            lambda query, key, value, attention_mask=None: scaled_dot_product_attention(
                query,
                key,
                value,
                torch.ones(query.size(-2), key.size(-2), dtype=torch.bool).tril()
                & (
                    torch.tensor(True)
                    if attention_mask is None
                    else attention_mask.bool()[:, None, None, :]
                ),
            ),
            section=_MASKS,
        ),
        Mistake(
            "added_one_minus_mask",
            "`1 - mask` is added to the scores as it is: padding gains 1 instead of losing "
            "everything. Add 0 for tokens and minus infinity for padding.",
            _broken_padded_heads(lambda scores, keep: scores + (~keep).to(scores.dtype)),
            section=_MASKS,
        ),
        Mistake(
            "infinity_times_zero",
            "−∞ is multiplied by the mask, and −∞ times 0 is NaN. Use `masked_fill` or "
            "`torch.where`.",
            _broken_padded_heads(
                lambda scores, keep: scores + (~keep).to(scores.dtype) * -math.inf
            ),
            section=_MASKS,
        ),
        Mistake(
            "first_head_only",
            "All heads get the result of the first one.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query, key, value, attention_mask
            )[:, :1].expand(-1, query.size(1), -1, -1),
        ),
        Mistake(
            "zeros_without_mask",
            "Without a mask the result is zeros, as if all were padding. No mask means that every "
            "token is seen.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query,
                key,
                value,
                torch.zeros(len(key), key.size(-2)) if attention_mask is None else attention_mask,
            ),
            points=4,
        ),
        Mistake(
            "crash_without_mask",
            "It fails when no mask is given: test `attention_mask is not None` before using it.",
            _crash_without_mask,
            points=4,
            any_error=True,
        ),
        Mistake(
            "nan_row",
            "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Its "
            "result must be zeros.",
            _broken_padded_heads(lambda scores, keep: scores.masked_fill(~keep, -math.inf)),
            points=4,
        ),
        Mistake(
            "nan_gradient",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a "
            "NaN that is replaced after the softmax (`nan_to_num`, `where`) still poisons the "
            "backward pass. Keep such rows from reaching the softmax as −∞.",
            _broken_padded_heads(
                weigh=lambda scores, keep: (
                    (scores + torch.zeros(keep.shape).masked_fill(~keep, -math.inf))
                    .softmax(-1)
                    .nan_to_num(0.0)
                )
            ),
            points=4,
        ),
        Mistake(
            "nan_gradient_of_output",
            "The numbers are right, but where a sentence is all padding the gradient is NaN: a NaN "
            "that is replaced in the output (`nan_to_num`, `where`) still poisons the backward "
            "pass. Keep such rows from reaching the softmax as −∞.",
            lambda query, key, value, attention_mask=None: _broken_padded_heads(
                lambda scores, keep: scores.masked_fill(~keep, -math.inf)
            )(query, key, value, attention_mask).nan_to_num(0.0),
            points=4,
        ),
        Mistake(
            "finite_fill",
            "A sentence that is all padding gets the plain average of its padding, because the "
            "fill is a finite number, the same for all. Its result must be zeros.",
            _filled(-1e9),
            points=4,
        ),
        Mistake(
            "small_fill",
            "Hidden scores are set to a finite number such as −1e4; allowed scores can lie below "
            "it, and then the padding wins. Use minus infinity.",
            _broken_padded_heads(
                weigh=lambda scores, keep: (
                    scores.masked_fill(~keep, -1e4).softmax(-1) * keep.any(-1, keepdim=True)
                )
            ),
            points=4,
        ),
        Mistake(
            "small_fill_and_average",
            "Hidden scores are set to a finite number such as −1e4. Allowed scores can lie below "
            "it, and then the padding wins; and a sentence that is all padding gets an average.",
            _filled(-1e4),
            points=4,
        ),
        Mistake(
            "changed_argument",
            "An argument is changed in place; the caller still needs it. Compute with a new "
            "tensor instead of `*=`, `masked_fill_` or an assignment into a slice.",
            _in_place,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`, or a new tensor built from numbers), so nothing could be learned.",
            lambda query, key, value, attention_mask=None: _padded_heads(
                query, key, value, attention_mask
            ).detach(),
        ),
        Mistake(
            "returns_weights",
            "These are the attention weights; multiply them with the values.",
            lambda query, key, value, attention_mask=None: attention_weights(
                query,
                key,
                None if attention_mask is None else attention_mask.bool()[:, None, None, :],
            ),
        ),
    ),
)


# ---- Exercise 3: merge_halves ------------------------------------------------------------------


def _merge_halves(output_a, lse_a, output_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)  # [..., queries]
    seen = lse.masked_fill(lse == -math.inf, 0.0)  # -inf - -inf would be NaN
    share_a = (lse_a - seen).exp().unsqueeze(-1)  # [..., queries, 1]
    share_b = (lse_b - seen).exp().unsqueeze(-1)
    return output_a * share_a + output_b * share_b, lse


def _merge_cases(generator: torch.Generator) -> list[Case]:
    names = ("output_a", "lse_a", "output_b", "lse_b")

    def half(shape, queries, keys, d_v, shift=0.0):
        scores = _normal(generator, *shape, queries, keys, size=1.7) + shift
        output = scores.softmax(-1) @ _normal(generator, *shape, keys, d_v)
        return [output, scores.logsumexp(-1)]

    def case(title, part, shift_a=0.0, shift_b=0.0, empty=(), dims=2):
        *shape, queries, d_v = _sizes(generator, 2 + dims)
        tensors = half(shape, queries, 3, d_v, shift_a) + half(shape, queries, 8, d_v, shift_b)
        for a in empty:  # the first query saw no key in this half
            tensors[a][..., 0, :] = 0.0
            tensors[a + 1][..., 0] = -math.inf
        return Case(title, part, tuple(zip(names, tensors, strict=True)))

    # One query's scores lie around +128, the next one's around -128: one maximum for all queries
    # leaves nothing of the second.
    shift = torch.tensor([128.0, -128.0])
    scores_a, scores_b = (_normal(generator, 3, 2, keys) + shift[:, None] for keys in (4, 7))
    halves = []
    for scores in (scores_a, scores_b):
        values = _normal(generator, 3, scores.size(-1), 5)
        halves += [scores.softmax(-1) @ values, scores.logsumexp(-1)]
    far = Case("queries 256 apart", "large", tuple(zip(names, halves, strict=True)))
    gradients = case("gradients", "large", dims=1)

    return [
        far,
        dataclasses.replace(gradients, gradient=True),
        case("a batch of heads", "core"),
        case("one sequence", "core", dims=0),
        case("the second half weighs more", "core", shift_b=2.0, dims=1),
        case("scores around 128", "large", shift_a=128.0, shift_b=128.0),
        case("scores around −128", "large", shift_a=-128.0, shift_b=-128.0),
        case("scores 192 apart", "large", shift_a=-64.0, shift_b=128.0),
        case("first half empty for a query", "empty", empty=(0,)),
        case("second half empty for a query", "empty", empty=(2,)),
        case("both halves empty for a query", "empty", empty=(0, 2)),
    ]


def _broken_merge(share=None, lse=None, output=None):
    """Build a wrong merge: ``share(lse_a, lse_b)`` is the first half's share of the output."""

    def implementation(output_a, lse_a, output_b, lse_b):
        _, whole = _merge_halves(output_a, lse_a, output_b, lse_b)
        mixed, _ = _merge_halves(output_a, lse_a, output_b, lse_b)
        if share is not None:
            a = share(lse_a, lse_b).unsqueeze(-1)
            mixed = output_a * a + output_b * (1 - a)
        if output is not None:
            mixed = output(output_a, lse_a.unsqueeze(-1), output_b, lse_b.unsqueeze(-1))
        return mixed, whole if lse is None else lse(lse_a, lse_b)

    return implementation


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


def _one_maximum_merge(nothing_left: str):
    """One maximum for all queries; ``nothing_left`` says what is done where both sums are 0."""

    def implementation(output_a, lse_a, output_b, lse_b):
        largest = torch.maximum(lse_a, lse_b).max().clamp(min=-1e30)
        a, b = (lse_a - largest).exp(), (lse_b - largest).exp()
        lse = largest + (a + b).log()
        total = (a + b).clamp(min=1e-30 if nothing_left == "zeros" else 0.0).unsqueeze(-1)
        output = (a.unsqueeze(-1) * output_a + b.unsqueeze(-1) * output_b) / total
        if nothing_left == "zeros if empty":
            empty = (lse_a == -math.inf) & (lse_b == -math.inf)
            output = output.masked_fill(empty.unsqueeze(-1), 0.0)
        return output, lse

    return implementation


_ONE_MAXIMUM = (
    "One maximum is subtracted for all queries: where a query lies far below it, both "
    "exponentials vanish{}. Each query needs the larger of its own two."
)


def _shares_by_exponentials(output_a, lse_a, output_b, lse_b, guarded=False):
    """The output, weighed with e^lse as it is; ``guarded``: zeros where both are 0."""
    a, b = lse_a.exp().unsqueeze(-1), lse_b.exp().unsqueeze(-1)
    total = a + b
    if guarded:
        total = torch.where(total == 0, 1.0, total)
    return a / total * output_a + b / total * output_b


def _lse_from_larger(a: Tensor, b: Tensor) -> Tensor:
    larger = torch.maximum(a, b)
    return larger + ((a - larger).exp() + (b - larger).exp()).log()


def _shares_of_larger(output_a, lse_a, output_b, lse_b):
    larger = torch.maximum(lse_a, lse_b)
    a, b = (lse_a - larger).exp().unsqueeze(-1), (lse_b - larger).exp().unsqueeze(-1)
    return (a * output_a + b * output_b) / (a + b)


_OVERFLOW = (
    "e^lse overflows at large scores and vanishes at very negative ones{}. Subtract the larger "
    "log-sum-exp before the exponential."
)


MERGE_HALVES = Exercise(
    id="merge_halves",
    title="Two halves make a whole",
    signature="merge_halves(output_a, lse_a, output_b, lse_b)",
    reference=_merge_halves,
    cases=_merge_cases,
    parts=(
        Part("core", "the merged output and log-sum-exp", 2),
        Part("large", "large scores of either sign, and gradients", 1),
        Part("empty", "queries that saw no key in a half, or in both", 1),
    ),
    minutes=30,
    difficulty=3,
    section=_SOFTMAX,
    alternatives={
        "softmax over the stacked halves": _stacked_merge,
        "sigmoid of the difference": _sigmoid_merge,
        "running maximum": _maximum_merge,
        "in float64": lambda *halves: tuple(
            part.float() for part in _merge_halves(*(half.double() for half in halves))
        ),
    },
    mistakes=(
        Mistake(
            "plain_average",
            "The two outputs are averaged half and half. A half whose keys score higher must "
            "count for more: its share is e^lse over the sum of both.",
            _broken_merge(share=lambda a, b: torch.full_like(a, 0.5)),
        ),
        Mistake(
            "plain_sum",
            "The two outputs are added up. Each is an average already: weigh them with shares "
            "that sum to 1.",
            _broken_merge(output=lambda out_a, a, out_b, b: out_a + out_b),
        ),
        Mistake(
            "not_normalised",
            "The outputs are multiplied by e^lse but not divided by the sum of both: the shares "
            "do not sum to 1.",
            _broken_merge(output=lambda out_a, a, out_b, b: out_a * a.exp() + out_b * b.exp()),
        ),
        Mistake(
            "shares_from_logarithms",
            "The shares are proportional to lse itself; lse is a logarithm, so take e^lse first.",
            _broken_merge(share=lambda a, b: a / (a + b)),
        ),
        Mistake(
            "shares_exchanged",
            "The shares are exchanged: the first half is weighed by the second half's sum.",
            _broken_merge(share=lambda a, b: (b - torch.logaddexp(a, b)).exp()),
        ),
        Mistake(
            "larger_half_only",
            "Only the half with the larger log-sum-exp is kept; the other one has a share, too.",
            _broken_merge(share=lambda a, b: (a >= b).float()),
        ),
        Mistake(
            "share_of_first_for_both",
            "Both outputs are weighed with the share of the first half; the second half's share is "
            "the rest to 1.",
            _broken_merge(output=lambda out_a, a, out_b, b: (out_a + out_b) * torch.sigmoid(a - b)),
        ),
        Mistake(
            "share_inverted",
            "The shares are e^(lse − lse_a) and e^(lse − lse_b), which is one over the shares: the "
            "sign of the exponent is wrong.",
            _broken_merge(
                output=lambda out_a, a, out_b, b: (
                    out_a * (torch.logaddexp(a, b) - a).exp()
                    + out_b * (torch.logaddexp(a, b) - b).exp()
                )
            ),
        ),
        Mistake(
            "softmax_over_queries",
            "The softmax runs over the queries of one half; for each query it must run over its "
            "two halves (`torch.stack((lse_a, lse_b))`, then `dim=0`).",
            _broken_merge(
                output=lambda out_a, a, out_b, b: out_a * a.softmax(-2) + out_b * b.softmax(-2)
            ),
        ),
        Mistake(
            "shares_without_axis",
            "The shares do not fit the outputs [..., queries, d_v]: they need an axis of size 1 at "
            "the end, [..., queries, 1], as `unsqueeze(-1)` makes it.",
            lambda out_a, a, out_b, b: (out_a * a + out_b * b, a),
        ),
        Mistake(
            "lse_added",
            "The output is right, but the two log-sum-exps are added up. They are logarithms of "
            "sums: add the sums, then take the logarithm.",
            _broken_merge(lse=lambda a, b: a + b),
        ),
        Mistake(
            "lse_maximum",
            "The output is right, but the larger log-sum-exp is returned: the smaller one's sum "
            "is missing.",
            _broken_merge(lse=torch.maximum),
        ),
        Mistake(
            "lse_averaged",
            "The output is right, but the two log-sum-exps are averaged. They are logarithms of "
            "sums: add the sums, then take the logarithm.",
            _broken_merge(lse=lambda a, b: (a + b) / 2),
        ),
        Mistake(
            "lse_not_logarithm",
            "The output is right, but the sum of exponentials is returned without its logarithm.",
            _broken_merge(lse=lambda a, b: a.exp() + b.exp()),
        ),
        Mistake(
            "base_two",
            "The logarithm to the base 2 is taken (`logaddexp2`); log-sum-exp is the natural one.",
            _broken_merge(lse=torch.logaddexp2),
        ),
        Mistake(
            "log_of_summed_logarithms",
            "The output is right, but the logarithm is taken of the sum of both lse, which are "
            "logarithms already. Take e^lse of each first.",
            _broken_merge(lse=lambda a, b: (a + b).log()),
        ),
        Mistake(
            "sum_of_probabilities_in_lse",
            "The output is right, but lse is the average weighted by the shares; it is the "
            "logarithm of the summed exponentials, `logaddexp`.",
            _broken_merge(lse=lambda a, b: torch.sigmoid(a - b) * a + torch.sigmoid(b - a) * b),
        ),
        Mistake(
            "output_only",
            "Only the output is returned. Return the output and the merged log-sum-exp.",
            lambda *halves: _merge_halves(*halves)[0],
        ),
        Mistake(
            "exchanged_results",
            "The two results are exchanged: return the output first, then the log-sum-exp.",
            lambda *halves: _merge_halves(*halves)[::-1],
        ),
        Mistake(
            "overflow",
            _OVERFLOW.format(", in the shares of the output and in the merged log-sum-exp"),
            lambda *halves: (
                _shares_by_exponentials(*halves),
                (halves[1].exp() + halves[3].exp()).log(),
            ),
            points=2,
            section=_SOFTMAX,
        ),
        Mistake(
            "overflow_guarded",
            _OVERFLOW.format(
                ", in the shares of the output and in the merged log-sum-exp, and a query whose "
                "sums vanish is taken for one that saw nothing"
            ),
            lambda *halves: (
                _shares_by_exponentials(*halves, guarded=True),
                (halves[1].exp() + halves[3].exp()).log(),
            ),
            points=3,
            section=_SOFTMAX,
        ),
        Mistake(
            "overflow_in_shares",
            _OVERFLOW.format(", in the shares of the output"),
            lambda *halves: (_shares_by_exponentials(*halves), _merge_halves(*halves)[1]),
            points=2,
        ),
        Mistake(
            "overflow_in_shares_guarded",
            _OVERFLOW.format(
                ", in the shares of the output, and a query whose sums vanish is taken for one "
                "that saw nothing"
            ),
            lambda *halves: (
                _shares_by_exponentials(*halves, guarded=True),
                _merge_halves(*halves)[1],
            ),
            points=3,
        ),
        Mistake(
            "overflow_in_one_share",
            _OVERFLOW.format(", in one share, from which the other is taken as the rest to 1"),
            _broken_merge(share=lambda a, b: a.exp() / (a.exp() + b.exp())),
            points=2,
        ),
        Mistake(
            "overflow_in_lse",
            _OVERFLOW.format(", in the merged log-sum-exp (the output is right)"),
            _broken_merge(lse=lambda a, b: (a.exp() + b.exp()).log()),
            points=3,
        ),
        Mistake(
            "global_maximum",
            _ONE_MAXIMUM.format(", and 0/0 is NaN"),
            _one_maximum_merge("zeros if empty"),
            points=3,
        ),
        Mistake(
            "global_maximum_guarded",
            _ONE_MAXIMUM.format(", and it is taken for one that saw nothing"),
            _one_maximum_merge("zeros"),
            points=3,
        ),
        Mistake(
            "global_maximum_nan",
            _ONE_MAXIMUM.format(", and 0/0 is NaN, as it is for a query that saw nothing at all"),
            _one_maximum_merge("nan"),
            points=2,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`, or a new tensor built from numbers), so nothing could be learned.",
            lambda *halves: tuple(part.detach() for part in _merge_halves(*halves)),
            points=3,
        ),
        Mistake(
            "nan_when_empty",
            "A query that saw no key in either half gives NaN: −∞ minus −∞. Its output must be "
            "zeros and its log-sum-exp −∞.",
            lambda out_a, a, out_b, b: (
                out_a * (a - torch.logaddexp(a, b)).exp()[..., None]
                + out_b * (b - torch.logaddexp(a, b)).exp()[..., None],
                torch.logaddexp(a, b),
            ),
            points=3,
        ),
        Mistake(
            "nan_twice_when_empty",
            "A query that saw no key in either half gives NaN for both results: the larger "
            "log-sum-exp is −∞, and −∞ minus −∞ is NaN. Subtract a finite number there.",
            lambda *halves: (
                _shares_of_larger(*halves),
                _lse_from_larger(halves[1], halves[3]),
            ),
            points=3,
        ),
        Mistake(
            "nan_lse_when_empty",
            "For a query that saw no key in either half the output is right, but the log-sum-exp "
            "is NaN: the larger one is −∞, and −∞ minus −∞ is NaN. It must be −∞.",
            _broken_merge(lse=_lse_from_larger),
            points=3,
        ),
        Mistake(
            "zero_lse_when_empty",
            "For a query that saw no key in either half the log-sum-exp is 0. No keys have the sum "
            "0, and log 0 is −∞. (0 may stand in for it only while the shares are computed.)",
            _broken_merge(
                lse=lambda a, b: torch.logaddexp(a, b).masked_fill(
                    torch.logaddexp(a, b) == -math.inf, 0.0
                )
            ),
            points=3,
        ),
        Mistake(
            "lowest_lse_when_empty",
            "For a query that saw no key in either half the log-sum-exp is the lowest float32 "
            "number (`nan_to_num` makes it of −∞). It must stay −∞.",
            _broken_merge(lse=lambda a, b: torch.logaddexp(a, b).nan_to_num()),
            points=3,
        ),
    ),
)


# ---- Exercise 4: repaired_attention ------------------------------------------------------------


def _repaired_attention(query, key, value, is_padding):
    return scaled_dot_product_attention(query, key, value, ~is_padding.unsqueeze(1))


def _half_repaired(inverted: bool, scale_d_v: bool, dropout: bool):
    """The code of the exercise with some of its three bugs left in."""

    def repaired_attention(query, key, value, is_padding):
        mask = is_padding if inverted else ~is_padding
        return F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=mask.unsqueeze(1),
            dropout_p=0.1 if dropout else 0.0,
            scale=1 / math.sqrt(value.size(-1) if scale_d_v else key.size(-1)),
        )

    return repaired_attention


def _repaired_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part="core", batch=None, empty=False, **options):
        n_b, queries, d_k, d_v = _sizes(generator, 4)
        batch, keys = batch or n_b, _more_keys(generator)
        query, key, value = (
            _normal(generator, batch, *shape)
            for shape in ((queries, d_k), (keys, d_k), (keys, d_v))
        )
        is_padding = _padded_mask(generator, batch, keys) == 0
        is_padding[0, -1] = True
        if empty:
            is_padding[-1] = True
        arguments = {"query": query, "key": key, "value": value, "is_padding": is_padding}
        return Case(title, part, tuple(arguments.items()), **options)

    return [
        case("a batch of padded sentences"),
        case("a batch of one", batch=1),
        case("gradients", "corner", gradient=True),
        case("a sentence that is all padding", "corner", empty=True),
    ]


_LEFT_OVER = {
    "inverted": "`is_padding` is True for padding, but in PyTorch's function True means that the "
    "key takes part",
    "scale_d_v": "the scale is taken from the values' length; it belongs to the length of the "
    "queries and keys",
    "dropout": "`dropout_p` is always on: this function does not know about `eval()`, it drops "
    "weights whenever it is told to",
}


def _left_over_mistakes() -> list[Mistake]:
    mistakes = []
    for bits in range(1, 8):
        left = [name for place, name in enumerate(_LEFT_OVER) if bits >> place & 1]
        count = ("", "One bug is", "Two bugs are", "All three bugs are")[len(left)]
        reasons = "; ".join(_LEFT_OVER[name] for name in left)
        broken = _half_repaired(**{name: name in left for name in _LEFT_OVER})
        mistakes.append(Mistake("_and_".join(left), f"{count} still there: {reasons}.", broken))
    return mistakes


REPAIRED_ATTENTION = Exercise(
    id="repaired_attention",
    title="Bug hunt: attention that reads the padding",
    signature="repaired_attention(query, key, value, is_padding)",
    reference=_repaired_attention,
    cases=_repaired_cases,
    parts=(
        Part("core", "all three bugs are gone", 2),
        Part("corner", "nothing but padding; gradients", 1),
    ),
    minutes=15,
    difficulty=2,
    section="“Masks: who may look at whom” and “Common mistakes” in chapter 1",
    alternatives={
        "library": _half_repaired(inverted=False, scale_d_v=False, dropout=False),
        "by hand": lambda query, key, value, is_padding: (
            _weigh(_scores(query, key), ~is_padding[:, None, :]) @ value
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
    mistakes=(
        *_left_over_mistakes(),
        Mistake(
            "added_mask",
            "The mask is added to (or subtracted from) the scores as ones and zeros, so padding "
            "is hardly hidden. Pass it as booleans, or as 0 and −∞.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query, key, value, attn_mask=(~is_padding).float().unsqueeze(1)
            ),
            same_results=(
                lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                    query, key, value, attn_mask=-is_padding.float().unsqueeze(1)
                ),
            ),
        ),
        Mistake(
            "nan_row",
            "A sentence that is all padding gives NaN: a softmax over nothing but −∞ is 0/0. Its "
            "result must be zeros, as PyTorch's function gives.",
            lambda query, key, value, is_padding: (
                _scores(query, key).masked_fill(is_padding.unsqueeze(1), -math.inf).softmax(-1)
                @ value
            ),
            points=2,
        ),
        Mistake(
            "finite_fill",
            "A sentence that is all padding gets the plain average of its padding, because the "
            "fill is a finite number, the same for all. Its result must be zeros.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query, key, value, attn_mask=is_padding.unsqueeze(1) * -1e9
            ),
            points=2,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `no_grad`).",
            lambda *arguments: _repaired_attention(*arguments).detach(),
            points=2,
        ),
        Mistake(
            "mask_at_queries",
            "The mask is laid over the queries (`[batch, keys, 1]`); it belongs to the keys, "
            "`[batch, 1, keys]`.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query, key, value, attn_mask=~is_padding.unsqueeze(2)
            ),
        ),
        Mistake(
            "causal",
            "Later keys are hidden as well, as a decoder needs it. Only padding is to be hidden.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=~is_padding.unsqueeze(1)
                & torch.ones(query.size(1), key.size(1), dtype=torch.bool).tril(),
            ),
        ),
        Mistake(
            "dropout_on_output",
            "Dropout falls on the output now (`nn.Dropout`, `F.dropout`): a fresh `nn.Dropout` is "
            "in training mode. The result must be the same every time.",
            lambda *arguments: F.dropout(_repaired_attention(*arguments), 0.1),
        ),
        Mistake(
            "no_axis_for_queries",
            "It fails unless there is one sentence: the mask has no axis for the queries between "
            "batch and keys, so its batch meets the queries. Make it `[batch, 1, keys]`.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query, key, value, attn_mask=~is_padding.unsqueeze(0)
            ),
            any_error=True,
        ),
        Mistake(
            "scale_d_k",
            "The scores are divided by d_k itself; divide by its square root.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=1 / query.size(-1)
            ),
            section=_ROOT,
        ),
        Mistake(
            "zeroed_after_softmax",
            "The weights of padding are set to 0 after the softmax, but the other weights are not "
            "scaled up again: they sum to less than 1. Mask the scores, before the softmax.",
            lambda query, key, value, is_padding: (
                (_scores(query, key).softmax(-1) * ~is_padding.unsqueeze(1)) @ value
            ),
        ),
        Mistake(
            "scale_multiplied",
            "The scores are multiplied by √d_k: `scale` is a factor, so pass one divided by the "
            "root.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=~is_padding.unsqueeze(1),
                scale=math.sqrt(query.size(-1)),
            ),
            section=_ROOT,
        ),
        Mistake(
            "scale_keys",
            "The scale is taken from the number of keys; it belongs to the length of one query "
            "or key vector, `query.size(-1)`.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query,
                key,
                value,
                attn_mask=~is_padding.unsqueeze(1),
                scale=1 / math.sqrt(key.size(1)),
            ),
            section=_ROOT,
        ),
        Mistake(
            "first_sentence_mask",
            "Every sentence is masked like the first one.",
            lambda query, key, value, is_padding: _repaired_attention(
                query, key, value, is_padding[:1].expand_as(is_padding)
            ),
        ),
        Mistake(
            "multiplied_scores",
            "The scores are multiplied by the mask: hidden ones become 0, and e⁰ = 1 is a full "
            "share for the softmax. Set them to minus infinity.",
            lambda query, key, value, is_padding: (
                (_scores(query, key) * ~is_padding.unsqueeze(1)).softmax(-1) @ value
            ),
        ),
        Mistake(
            "mask_removed",
            "The mask is gone altogether: padding takes part like any token.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(query, key, value),
        ),
        Mistake(
            "no_scale",
            "The scale is gone altogether (`scale=1`): divide by √d_k.",
            lambda query, key, value, is_padding: F.scaled_dot_product_attention(
                query, key, value, attn_mask=~is_padding.unsqueeze(1), scale=1.0
            ),
            section=_ROOT,
        ),
    ),
)


# ---- Exercise 5: telling_input -----------------------------------------------------------------


def _telling_input():
    query = torch.tensor([[1.0, 0.0], [0.0, 2.0]])
    key = torch.tensor([[2.0, 1.0], [0.0, 3.0]])
    value = torch.tensor([[1.0], [0.0]])
    return query, key, value


def _telling_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, judge):
        return Case(title, part, judge=judge, wanted="results at least 0.01 apart")

    return [
        Case("a valid input", "core", judge=judges.is_a_small_input, wanted="three matrices"),
        case("tells a missing scale", "core", judges.tells_no_scale),
        case("tells ÷ d_k from ÷ √d_k", "core", judges.tells_d_k),
        case("tells √d_v from √d_k", "sizes", judges.tells_d_v),
        case("tells the softmax over the wrong axis", "axes", judges.tells_softmax_axis),
        case("tells query and key exchanged", "axes", judges.tells_swapped),
    ]


def _input(query, key, value):
    return lambda: tuple(torch.tensor(matrix) for matrix in (query, key, value))


TELLING_INPUT = Exercise(
    id="telling_input",
    title="The smallest input that tells",
    signature="telling_input()",
    reference=_telling_input,
    cases=_telling_cases,
    parts=(
        Part("core", "tells a missing or wrong scale", 1),
        Part("sizes", "tells d_v from d_k", 1),
        Part("axes", "tells a wrong axis", 1),
    ),
    minutes=15,
    difficulty=2,
    section="“Common mistakes” in chapter 1",
    alternatives={
        "one query": _input([[3.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]]),
        "random": lambda: (torch.arange(6.0).view(2, 3), torch.eye(3) * 2, torch.eye(3)[:, :2]),
        "a list, in float64": lambda: [tensor.double() for tensor in _telling_input()],
    },
    mistakes=(
        Mistake(
            "not_three",
            "Return three floating point tensors of two dimensions.",
            lambda: torch.eye(2),
        ),
        Mistake(
            "too_large",
            "Each tensor may hold 12 numbers at most.",
            lambda: (torch.randn(4, 4), torch.randn(4, 4), torch.randn(4, 2)),
        ),
        Mistake(
            "not_finite",
            "All numbers must be finite.",
            _input([[1.0, math.nan]], [[1.0, 0.0]], [[1.0]]),
        ),
        Mistake(
            "shapes_do_not_fit",
            "Query and key need the same number of columns, key and value of rows.",
            _input([[1.0, 0.0]], [[1.0, 0.0]], [[1.0], [2.0]]),
        ),
        Mistake(
            "hides_no_scale",
            "A missing scale cannot be seen on this input.",
            _input([[3.0], [1.0]], [[2.0], [-1.0]], [[1.0, 0.0], [0.0, 1.0]]),
        ),
        Mistake(
            "hides_d_k",
            "Dividing by d_k instead of √d_k cannot be seen on this input.",
            # large enough for the missing scale to be 0.01 away, too small for d_k
            _input([[0.12, 0.0]], [[1.0, 0.0], [0.0, 0.0]], [[1.0], [0.0]]),
        ),
        Mistake(
            "hides_d_v",
            "Dividing by √d_v instead of √d_k cannot be seen on this input.",
            _input([[3.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]),
            points=2,
        ),
        Mistake(
            "hides_softmax_axis",
            "The softmax over the wrong axis cannot be seen on this input.",
            _input([[2.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]]),
            points=2,
        ),
        Mistake(
            "hides_swapped",
            "An exchange of query and key cannot be seen on this input.",
            _input([[3.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [0.0]]),
            points=2,
        ),
    ),
)


EXERCISES = [
    WEIGHTS_TIME_FIRST,
    PADDED_HEADS,
    MERGE_HALVES,
    REPAIRED_ATTENTION,
    TELLING_INPUT,
]
