"""Grouped heads, tokens first: attention as FlashAttention's function has it."""

from __future__ import annotations

import dataclasses
import math

import torch
import torch.nn.functional as F

from grading.content.drawing import one_of, redrawn
from grading.content.modern_decoder import harnesses
from grading.content.modern_decoder.sections import GROUPS
from grading.content.modern_decoder.shared import normal
from grading.exercise import Case, Part, Question


def grouped_attention(query, key, value, attention_mask=None):
    """Causal attention of grouped heads, [batch, queries, heads, value_size]."""
    queries, heads, head_size = query.shape[1:]
    keys, kv_heads = key.shape[1:3]
    group = heads // kv_heads
    query = query.transpose(1, 2)  # [batch, heads, queries, head_size]
    key = key.repeat_interleave(group, dim=2).transpose(1, 2)  # [batch, heads, keys, head_size]
    value = value.repeat_interleave(group, dim=2).transpose(1, 2)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    if attention_mask is not None:
        real = attention_mask != 0
        allowed = allowed & real[:, None, None, :]
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_size)
    hidden = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~allowed, hidden).softmax(-1)
    weights = weights * allowed  # a row without keys: all 0
    context = weights @ value
    return context.transpose(1, 2)


def _grouped_cases(generator: torch.Generator) -> list[Case]:
    groups = [(6, 2), (6, 3), (8, 2)]
    turn = int(torch.randint(3, (), generator=generator))

    def drawn_mask(batch, keys, kinds, dtype):
        real = torch.ones(batch, keys, dtype=dtype)
        for row, kind in enumerate(kinds[:batch]):
            if kind == "left":
                real[row, : 2 + row] = 0
            elif kind == "right":
                real[row, -2 - row :] = 0
            elif kind == "hole":
                real[row, keys // 2] = 0
            elif kind == "all":
                real[row] = 0
        return real

    def integers(*shape):
        return torch.randint(-2, 3, shape, generator=generator).float()

    def far():
        """Scores, exact in any order, down to −200 and up to 188; padding is far above others.

        One query sees two keys with scores around −190 and nothing else, others several around 180.
        """
        query, key = integers(1, 7, 6, 4), integers(1, 7, 3, 4)
        query[..., 0] = 2.0
        key[:, 0] = 0.0
        key[..., 0] += torch.tensor([-194.0, -192.0, 180.0, 0.0, 180.0, 180.0, 180.0])[:, None]
        value = normal(generator, 1, 7, 3, 5)
        real = torch.tensor([[1, 1, 0, 1, 1, 1, 1]])
        return ("query", query), ("key", key), ("value", value), ("attention_mask", real)

    def case(
        title, part, queries=None, heads=None, kv=None, mask=(), batch=None, keys=None, **options
    ):
        nonlocal turn
        dtype, zero = options.pop("dtype", torch.float32), options.pop("zero", False)
        whole, sizes = options.pop("whole", torch.int64), options.pop("sizes", None)
        turn += 1
        if heads is None:
            heads, kv = groups[turn % 3]
        batch = batch or (3 if kv == 2 else 2)
        head_size, value_size = sizes or one_of(generator, (4, 3), (5, 2), (3, 4))
        keys = keys or (7 if queries else 5)
        queries = queries or 5
        arguments = [
            ("query", normal(generator, batch, queries, heads, head_size).to(dtype)),
            ("key", normal(generator, batch, keys, kv, head_size).to(dtype)),
            ("value", normal(generator, batch, keys, kv, value_size).to(dtype)),
        ]
        if zero:  # a score of exactly 0 hides nothing
            arguments[0][1][:, 1, 0] = 0.0
        if mask:
            arguments.append(("attention_mask", drawn_mask(batch, keys, mask, whole)))
        return Case(title, part, tuple(arguments), **options)

    def opposed(drawn):
        """The same with values so large, and of both signs, that float32 inside shows."""
        query, key, value, _ = (argument for _, argument in drawn.arguments)
        each = torch.eye(key.size(1), dtype=key.dtype)[None, :, None]
        each = each.repeat(1, 1, key.size(2), 1)
        group = query.size(2) // key.size(2)
        weights = grouped_attention(query, key, each)[:, 0, ::group].mT  # [1, keys, kv_heads]
        value[:, :-1] *= 1e5
        others = (weights[:, :-1, :, None] * value[:, :-1]).sum(1)
        value[:, -1] -= others / weights[:, -1, :, None]
        return drawn

    def repeated(*arguments, **options):
        once = case(*arguments, **options)
        again = [tuple(redrawn(generator, value) for _, value in once.arguments)]
        if len(again[0]) > 3:  # and without padding
            again.append((*again[0][:3], None))
        return dataclasses.replace(once, again=tuple(again))

    return [
        case("as many queries as keys", "core", zero=True),
        case("a few queries after a cache", "core", queries=4, strided=True),
        case("one query after a long cache", "core", 1, 2, 1, batch=2, keys=260, strided=True),
        case("one key head for all queries", "core", heads=6, kv=1),
        case("all sizes are equal", "core", 3, 3, 3, batch=3, keys=3, sizes=(3, 3)),
        case("a batch of one, one head", "core", 2, 1, 1, batch=1),
        repeated("called again with other numbers", "core", queries=3, heads=6, kv=2, batch=5),
        case(
            "as many texts as keys, padding on the right, and a hole",
            "mask",
            batch=5,
            mask=("right", "hole", "hole", "none", "none"),
        ),
        repeated(
            "padding on the left, some see nothing; called again with other padding, and none",
            "mask",
            queries=6,
            mask=("left", "none", "left"),
        ),
        case(
            "padding after a cache, as many key heads as query heads",
            "mask",
            queries=4,
            heads=3,
            kv=3,
            batch=3,
            mask=("hole", "left", "right"),
            whole=torch.uint8,  # in which 0 - 1 is 255
        ),
        case("texts of one padding token alone", "mask", 1, mask=("all",) * 3, keys=1),
        Case("a batch of one, large scores, and padding far above them", "mask", far()),
        case(
            "gradients, float64", "training", queries=4, batch=4, dtype=torch.float64, gradient=True
        ),
        case(
            "gradients, where some queries see nothing",
            "training",
            keys=6,
            mask=("left", "right", "hole"),
            harness=harnesses.gradients,
        ),
        opposed(
            case(
                "gradients, float64, one query, a mask of ones",
                "training",
                queries=1,
                batch=1,
                mask=("none",),
                dtype=torch.float64,
                sizes=(4, 3),  # whose root is exact in float32, too
                gradient=True,
            )
        ),
        case("a mask of ones", "mask", queries=4, batch=2, mask=("none", "none")),
    ]


def _by_library(query, key, value, attention_mask=None):
    query, key, value = (part.transpose(1, 2) for part in (query, key, value))
    queries, keys = query.size(2), key.size(2)
    allowed = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    allowed = allowed.expand(query.size(0), 1, -1, -1)
    if attention_mask is not None:
        allowed = allowed & attention_mask.bool()[:, None, None, :]
    empty = ~allowed.any(dim=-1, keepdim=True)
    mixed = F.scaled_dot_product_attention(query, key, value, allowed | empty, enable_gqa=True)
    return mixed.masked_fill(empty, 0.0).transpose(1, 2)


def _by_groups(query, key, value, attention_mask=None):
    """No key is repeated: the heads of the query are an axis of groups and one within a group."""
    split = query.unflatten(2, (key.size(2), -1))
    scores = torch.einsum("bqgnd,bkgd->bgnqk", split, key) * query.size(-1) ** -0.5
    place = torch.arange(key.size(1))
    seen = place <= place[-query.size(1) :, None]
    if attention_mask is not None:
        seen = (seen & (attention_mask[:, None] == 1))[:, None, None]
    weights = scores.masked_fill(~seen, -math.inf).softmax(-1).nan_to_num(0.0)
    return torch.einsum("bgnqk,bkgv->bqgnv", weights, value).flatten(2, 3)


def _by_loops(query, key, value, attention_mask=None):
    """Query by query, over the keys that it sees."""
    batch, queries, heads, size = query.shape
    rows = []
    for b in range(batch):
        for q in range(queries):
            last = key.size(1) - queries + q
            places = [
                p
                for p in range(last + 1)
                if attention_mask is None or int(attention_mask[b, p]) == 1
            ]
            for h in range(heads):
                g = h * key.size(2) // heads
                scores = key[b, places, g] @ query[b, q, h] / size**0.5
                rows.append(scores.softmax(0) @ value[b, places, g])
    return torch.stack(rows).view(batch, queries, heads, -1)


def _by_expanding(query, key, value, attention_mask=None):
    """Repeated by `expand`, with an additive mask of large numbers."""
    batch, queries, heads, size = query.shape
    keys, kv_heads = key.shape[1:3]

    def repeated(part):
        wide = part[:, :, :, None].expand(-1, -1, -1, heads // kv_heads, -1)
        return wide.reshape(batch, keys, heads, -1).permute(0, 2, 1, 3)

    seen = torch.ones(batch, 1, queries, keys).tril(keys - queries).to(query.dtype)
    if attention_mask is not None:
        seen = seen * attention_mask[:, None, None]
    scores = query.permute(0, 2, 1, 3) @ repeated(key).mT / size**0.5 + (1 - seen) * -1e9
    weights = F.softmax(scores, dim=-1) * seen.any(-1, keepdim=True)
    return (weights @ repeated(value)).permute(0, 2, 1, 3)


QUESTION = Question(
    id="grouped_attention",
    title="Grouped heads, tokens first",
    signature="grouped_attention(query, key, value, attention_mask=None)",
    reference=grouped_attention,
    cases=_grouped_cases,
    parts=(
        Part("core", "groups and causality", 2),
        Part("mask", "padding, and queries that see nothing", 1),
        Part("training", "gradients, and float64", 1),
    ),
    minutes=20,
    difficulty=2,
    section=GROUPS,
    draws=3,
    alternatives={
        "PyTorch's function": _by_library,
        "an axis for the groups": _by_groups,
        "loops": _by_loops,
        "expand and a mask to be added": _by_expanding,
    },
)
