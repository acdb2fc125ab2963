"""Exercise 4 of assignment 5: ALiBi as an additive mask, where the queries are the last keys."""

from __future__ import annotations

import math

import torch

from grading.content.drawing import one_of
from grading.content.positions.sections import ALIBI
from grading.exercise import Case, Part, Question
from solutions.positions import alibi_bias, alibi_slopes


def alibi_mask(num_attention_heads, queries, keys, causal=True):
    """Return ALiBi as an additive mask for the last queries, ``[heads, queries, keys]``."""
    power = 2 ** int(math.log2(num_attention_heads))
    slopes = 2.0 ** (-8 * torch.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * torch.arange(1, 2 * power, 2) / (2 * power))
    slopes = torch.cat([slopes, between])[:num_attention_heads]
    apart = torch.arange(keys - queries, keys)[:, None] - torch.arange(keys)  # [queries, keys]
    mask = -slopes[:, None, None] * apart.abs()
    if causal:
        mask = mask.masked_fill(apart < 0, -math.inf)
    return mask


def _alibi_cases(generator: torch.Generator) -> list[Case]:
    names = ("num_attention_heads", "queries", "keys", "causal")

    def case(title, part, *values, again=()):
        return Case(title, part, tuple(zip(names, values, strict=False)), again=again)

    keys = one_of(generator, 6, 7)  # no two cases have the same number of keys
    return [
        case("queries after a cache", "core", one_of(generator, 2, 4), 3, keys),
        case("as many queries as keys", "core", 4, 5, 5),
        case("one new token after many", "core", 2, 1, 2000),
        case("64 heads, causal=True", "core", 64, 2, 4, True),
        case(
            "called again, other sizes",
            "core",
            *(4, 3, 12),
            again=((4, 2, 12), (4, 3, 11), (2, 3, 12), (8, 2, 12)),
        ),
        case("one head", "heads", 1, 2, 3),
        case("one query, one key", "heads", 3, 1, 1),
        case("a number of heads between", "heads", one_of(generator, 5, 6, 7), 3, 8),
        case("112 heads, as in BLOOM", "heads", 112, 2, 13),
        case("both sides, as many queries as keys", "sides", 2, 9, 9, False),
        case(
            "both sides, then one, then both again",
            "sides",
            *(4, 3, 14, False),
            again=((4, 3, 14, True), (4, 3, 14)),
        ),
    ]


def _chapters_alibi(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys)[None]
    bias = alibi_bias(num_attention_heads, places[:, keys - queries :], places)[0]
    if not causal:
        return bias
    return bias.masked_fill(places > places[0, keys - queries :, None], -math.inf)


def _loop_alibi(num_attention_heads, queries, keys, causal=True):
    def slopes_of(n):
        if math.log2(n).is_integer():
            start = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**i for i in range(n)]
        power = 2 ** math.floor(math.log2(n))
        return slopes_of(power) + slopes_of(2 * power)[0::2][: n - power]

    mask = torch.empty(num_attention_heads, queries, keys)
    for h, slope in enumerate(slopes_of(num_attention_heads)):
        for i in range(queries):
            for j in range(keys):
                distance = keys - queries + i - j
                hidden = causal and distance < 0
                mask[h, i, j] = -math.inf if hidden else -slope * abs(distance)
    return mask


def _whole_alibi(num_attention_heads, queries, keys, causal=True):
    """The square one for all keys, of which the last rows are taken."""
    place = torch.arange(keys, dtype=torch.float64)
    whole = -(place[:, None] - place).abs()
    if causal:
        whole = whole + torch.full((keys, keys), -math.inf).triu(1)
    slopes = alibi_slopes(num_attention_heads).double()
    return torch.einsum("h,qk->hqk", slopes, whole)[:, -queries:].float()


def _toeplitz_alibi(num_attention_heads, queries, keys, causal=True):
    line = -torch.arange(keys - 1, -keys, -1).abs().float()
    row = torch.stack([line[queries - 1 - i : queries - 1 - i + keys] for i in range(queries)])
    shown = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries)
    bias = alibi_slopes(num_attention_heads).view(-1, 1, 1) * row
    return torch.where(shown, bias, float("-inf")) if causal else bias


def _minimum_alibi(num_attention_heads, queries, keys, causal=True):
    """Take the smaller of both signed distances, which is minus the distance."""
    query, key = torch.arange(keys - queries, keys).unsqueeze(1), torch.arange(keys)
    slopes = alibi_slopes(num_attention_heads)[:, None, None]
    bias = torch.minimum(query - key, key - query) * slopes
    return bias.masked_fill(key > query, -math.inf) if causal else bias


QUESTION = Question(
    id="alibi_mask",
    title="A penalty for few queries and many keys",
    signature="alibi_mask(num_attention_heads, queries, keys, causal=True)",
    reference=alibi_mask,
    cases=_alibi_cases,
    parts=(
        Part("core", "the causal mask for queries after a cache", 2),
        Part("heads", "any number of heads", 1),
        Part("sides", "both sides, for an encoder", 1),
    ),
    minutes=20,
    difficulty=2,
    section=ALIBI,
    alternatives={
        "the chapter's bias": _chapters_alibi,
        "loop, with the paper's own recursion": _loop_alibi,
        "the last rows of the square, in float64": _whole_alibi,
        "windows of a line": _toeplitz_alibi,
        "bias by place": _minimum_alibi,
    },
)
