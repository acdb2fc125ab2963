"""Exercise 2: attention of many heads in which padding gets no weight."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F

from grading.check import gradient_of_each
from grading.content.drawing import draw_sizes, redrawn
from grading.content.simple_attention.sections import MASKS
from grading.content.simple_attention.shared import (
    draw_more_keys,
    draw_padded_mask,
    draw_small_integers,
    normal,
)
from grading.exercise import Case, Part, Question
from solutions.simple_attention import scaled_dot_product_attention


def padded_heads(query, key, value, attention_mask=None):
    """Return attention in which padding has no weight, ``[batch, heads, queries, d_v]``."""
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        keep = attention_mask.bool()[:, None, None, :]  # [batch, 1, 1, keys]
        empty = ~keep.any(dim=-1, keepdim=True)  # nothing but padding
        scores = scores.masked_fill(~keep & ~empty, -math.inf)
    weights = scores.softmax(dim=-1)
    if attention_mask is not None:
        weights = weights.masked_fill(empty, 0.0)
    return weights @ value


def _padded_heads_cases(generator: torch.Generator) -> list[Case]:
    def draw(
        left=False, heads=None, mask=True, queries_too=False, one=False, whole=False, square=False
    ):
        batch, n_heads, queries, d_k, d_v = draw_sizes(generator, 5)
        keys = draw_more_keys(generator)
        if queries_too:
            batch, n_heads, queries = 2, 3, keys
        if left:  # keys that would fit as they are, not turned
            d_k = keys
        if square:  # a mask that would fit the scores of a sentence as it is
            queries = batch
        if one:
            batch, n_heads, queries, d_v = 1, 1, 1, 1
        if whole:  # exact products and scores, in whatever order they are added; some are 0
            d_k = 16
        shapes = [(queries, d_k), (keys, d_k), (keys, d_v)]
        # Small scores: tokens get some weight even before padding is hidden, so that an epsilon in
        # the denominator is never seen in one draw and not in the next.
        query, key, value = (
            normal(generator, batch, heads(batch) if heads else n_heads, *shape) * size
            for shape, size in zip(shapes, (0.6, 0.6, 1.0), strict=True)
        )
        if whole:
            query, key = (draw_small_integers(generator, *tensor.shape) for tensor in (query, key))
            query = query / 4
        arguments = [("query", query), ("key", key), ("value", value)]
        if mask:
            attention_mask = draw_padded_mask(generator, batch, keys, left)
            if left:  # the last sentence is the full one
                attention_mask = attention_mask.flip(0)
            arguments.append(("attention_mask", attention_mask))
        return tuple(arguments)

    first = draw(heads=lambda batch: 8)
    again = [redrawn(generator, value) for _, value in first]
    again[3] = torch.ones_like(again[3])  # no padding, then

    empty = draw(whole=True)
    empty[3][1][-1] = 0
    nothing = draw()
    nothing[3][1][:] = 0
    single = draw(one=True)
    single[3][1][0, :3] = 0
    holes = draw(queries_too=True, whole=True)
    holes[3][1][0, [1, 4]] = 0  # padding between tokens
    holes[3][1][1] = torch.arange(holes[1][1].size(2)) == 2  # a single token
    holes[1][1][0, :, 0], holes[2][1][0, :, 2] = 0.0, 0.0  # of tokens all the same

    none = (*draw(mask=False), ("attention_mask", None))

    # Scores that are allowed lie near -20000, far below a finite "minus infinity" such as -1e4;
    # those of padding lie there, too, or near 20000, so that a softmax over all keys leaves no
    # others.
    query = draw_small_integers(generator, 2, 3, 5, 16)
    key = draw_small_integers(generator, 2, 3, 4, 16)
    query[..., 0], key[..., 0] = 400.0, -200.0
    # But some are small: each query of each head and sentence has a largest score of its own.
    query[:, :, 0, 0], query[:, 0, 1, 0], query[0, :, 2, 0] = 0.0, 0.0, 0.0
    low_mask = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0]])
    above = key.clone()
    above[..., 0] *= 2 * low_mask[:, None, :] - 1
    value = normal(generator, 2, 3, 4, 6)

    def low(title, key):
        tensors = (("query", query), ("key", key), ("value", value), ("attention_mask", low_mask))
        return Case(title, "corner", tensors)

    return [
        Case("padding on the right", "core", draw()),
        Case("padding on the left, as many keys as numbers", "core", draw(left=True)),
        Case("as many heads as sentences", "core", draw(heads=lambda batch: batch)),
        Case(
            "transposed views, as many queries as sentences",
            "core",
            draw(square=True),
            strided=True,
        ),
        Case("gradients", "core", draw(), gradient=True, harness=gradient_of_each),
        Case("one sentence, one query", "core", single),
        Case("as many queries as keys, padding anywhere", "core", holes),
        Case("called again with other numbers", "core", first, again=(tuple(again),)),
        Case("no mask given", "none", draw(mask=False)),
        Case("attention_mask=None", "none", none, gradient=True),
        Case("a sentence that is all padding, and gradients", "corner", empty, gradient=True),
        Case("nothing but padding in all sentences", "corner", nothing),
        low("scores near −20000", key),
        low("scores near −20000, those of padding near 20000", above),
    ]


def _loop_padded_heads(query, key, value, attention_mask=None):
    outputs = torch.zeros(*query.shape[:-1], value.size(-1))
    outputs = list(outputs.unbind(0))
    for b in range(query.size(0)):
        seen = slice(None) if attention_mask is None else attention_mask[b].nonzero().squeeze(-1)
        k, v = key[b][:, seen], value[b][:, seen]
        if k.size(1):
            scores = query[b] @ k.mT / math.sqrt(query.size(-1))
            outputs[b] = scores.softmax(-1) @ v
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


def _padded_heads_in_float64(query, key, value, attention_mask=None):
    mask = None if attention_mask is None else attention_mask.bool()[:, None, None, :]
    output = scaled_dot_product_attention(query.double(), key.double(), value.double(), mask)
    return output.to(query.dtype)


def _lowest_float(query, key, value, attention_mask=None):
    scores = query.matmul(key.mT).mul(key.size(-1) ** -0.5)
    if attention_mask is None:
        return scores.softmax(-1) @ value
    keep = attention_mask[:, None, None] != 0
    weights = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).softmax(-1)
    return (weights * keep) @ value


def _exponentials_of_seen(query, key, value, attention_mask=None):
    scores = query @ key.mT / math.sqrt(key.size(-1))
    mask = torch.ones(key.size(0), key.size(2)) if attention_mask is None else attention_mask
    keep = mask.view(key.size(0), 1, 1, key.size(2)) == 1
    largest = scores.masked_fill(~keep, torch.finfo(scores.dtype).min).amax(-1, keepdim=True)
    exponentials = (scores - largest).clamp(max=0).exp() * keep
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30) @ value


QUESTION = Question(
    id="padded_heads",
    title="Padding under many heads",
    signature="padded_heads(query, key, value, attention_mask=None)",
    reference=padded_heads,
    cases=_padded_heads_cases,
    parts=(
        Part("core", "padding gets no weight, in any sentence and head; gradients", 3),
        Part("none", "works without a mask", 1),
        Part("corner", "nothing but padding; very low scores", 1),
    ),
    minutes=20,
    difficulty=2,
    section=MASKS,
    alternatives={
        "library": lambda query, key, value, attention_mask=None: F.scaled_dot_product_attention(
            query,
            key,
            value,
            attn_mask=None if attention_mask is None else attention_mask[:, None, None].bool(),
        ),
        "loop over sentences": _loop_padded_heads,
        "einsum and an additive mask": _einsum_padded_heads,
        "in float64": _padded_heads_in_float64,
        "lowest float and zeroed rows": _lowest_float,
        "exponentials of what is seen": _exponentials_of_seen,
    },
)
