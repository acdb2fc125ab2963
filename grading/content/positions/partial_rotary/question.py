"""Exercise 2 of assignment 5: rotary positions that turn a part of each head.

Numbers are compared to 1e-4: an angle of 500 radians has only so many digits in float32, and every
correct way to compute it rounds elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from grading.content.drawing import one_of
from grading.content.positions import harnesses
from grading.content.positions.sections import ROTARY
from grading.content.positions.shared import draw_position_ids, normal
from grading.exercise import Case, Part, Question
from solutions.positions import RotaryPositions


def turn(x, cos, sin):
    """Turn the first numbers of each head, as many as there are angles for; leave the rest."""
    half = cos.size(-1)
    first, second, rest = x.tensor_split([half, 2 * half], dim=-1)
    turned = [first * cos - second * sin, second * cos + first * sin]
    return torch.cat([*turned, rest], dim=-1).to(x.dtype)


def partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    """Turn the first numbers of each head of queries and keys by their positions."""
    speeds = base ** (-torch.arange(0, rotary_size, 2) / rotary_size)
    angles = position_ids[:, None, :, None] * speeds  # [batch, 1, tokens, pairs]
    cos, sin = angles.cos(), angles.sin()
    return turn(query, cos, sin), turn(key, cos, sin)


def _rotary_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, batch, heads, tokens, head_size, rotary_size, **options):
        key_heads, base = options.pop("key_heads", heads), options.pop("base", None)
        position_ids = draw_position_ids(generator, batch, tokens) + options.pop("start", 0)
        plain, dtype = options.pop("plain", None), options.pop("dtype", torch.float32)
        if plain is not None:  # this row counts from 0
            position_ids[plain] = torch.arange(tokens)
        arguments = [
            ("query", normal(generator, batch, heads, tokens, head_size).to(dtype)),
            ("key", normal(generator, batch, key_heads, tokens, head_size).to(dtype)),
            ("position_ids", position_ids),
            ("rotary_size", rotary_size),
        ]
        if base:
            arguments.append(("base", base))
        return Case(title, part, tuple(arguments), **options)

    def more(batch, heads, tokens, head_size, rotary_size, *base):
        query, key = (normal(generator, batch, heads, tokens, head_size) for _ in range(2))
        return query, key, draw_position_ids(generator, batch, tokens), rotary_size, *base

    base = one_of(generator, 30.5, 100.5, 700.5)
    near_one = one_of(generator, 1.25, 1.5, 1.75)
    return [
        # as many texts as heads and as tokens
        case("part of each head turns", "core", 3, 3, 3, one_of(generator, 8, 9), 6),
        case("a base near 1, one token", "core", 3, 2, 1, 7, 4, base=near_one),
        case("a batch of one, one pair, transposed views", "core", 1, 3, 2, 10, 2, strided=True),
        case("the whole head turns", "core", 2, 1, 6, 6, 6, base=3 * base, plain=0),
        case(
            "called again, other positions", "core", 2, 3, 6, 12, 8, again=(more(2, 3, 6, 12, 8),)
        ),
        case(
            "called again, another base",
            "core",
            2,
            3,
            7,
            12,
            8,
            again=(more(2, 3, 7, 12, 8, base),),
            plain=-1,
        ),
        case("fewer key heads than query heads", "grouped", 2, 4, 3, 7, 4, key_heads=2),
        case(
            *("gradients, in float64", "sound", 2, 1, 3, 7, 4),
            gradient=True,
            dtype=torch.float64,
            harness=harnesses.one_by_one,
        ),
        case("the whole text moved", "sound", 2, 2, 5, 9, 6, harness=harnesses.moved),
        # the second of six speeds, 0.2154, is one that bfloat16 rounds by much
        case(
            *("far away in bfloat16", "sound", 2, 3, 4, 13, 12),
            start=900,
            harness=harnesses.in_bfloat16,
        ),
    ]


def _on_both(turn: Callable) -> Callable:
    """Turn queries and keys with one function ``turn(x, position_ids, rotary_size, base)``."""

    def implementation(query, key, position_ids, rotary_size, base=10000.0):
        return tuple(turn(x, position_ids, rotary_size, base) for x in (query, key))

    return implementation


def _module_rotary(x, position_ids, rotary_size, base):
    part, rest = x[..., :rotary_size], x[..., rotary_size:]
    return torch.cat([RotaryPositions(rotary_size, base)(part, position_ids), rest], dim=-1)


def _rotary_angles(position_ids, size, base):
    return position_ids[:, None, :, None] * base ** (-torch.arange(0, size, 2) / size)


def _rotate_half(x, position_ids, rotary_size, base):
    speeds = 1.0 / (base ** (torch.arange(0, rotary_size, 2).float() / rotary_size))
    angles = torch.einsum("bt,p->btp", position_ids.float(), speeds).repeat(1, 1, 2).unsqueeze(1)
    part = x[..., :rotary_size].float()
    half = torch.cat((-part[..., rotary_size // 2 :], part[..., : rotary_size // 2]), dim=-1)
    part = part * angles.cos() + half * angles.sin()
    return torch.cat((part.to(x.dtype), x[..., rotary_size:]), dim=-1)


def _complex_rotary(x, position_ids, rotary_size, base):
    first, second, rest = x.tensor_split([rotary_size // 2, rotary_size], dim=-1)
    angles = _rotary_angles(position_ids, rotary_size, base)
    turned = torch.complex(first.float(), second.float()) * torch.exp(1j * angles)
    return torch.cat([turned.real.to(x.dtype), turned.imag.to(x.dtype), rest], dim=-1)


def _matrix_rotary(x, position_ids, rotary_size, base):
    angles = _rotary_angles(position_ids, rotary_size, base).squeeze(1).double()
    cos, sin = angles.cos().diag_embed(), angles.sin().diag_embed()
    matrix = torch.cat([torch.cat([cos, -sin], -1), torch.cat([sin, cos], -1)], -2)
    part = torch.einsum("btij,bhtj->bhti", matrix, x[..., :rotary_size].double()).to(x.dtype)
    return torch.cat([part, x[..., rotary_size:]], dim=-1)


def _loop_rotary(x, position_ids, rotary_size, base):
    columns = list(x.unbind(-1))
    for i in range(rotary_size // 2):
        angle = (position_ids / base ** (2 * i / rotary_size))[:, None, :]
        a, b = columns[i].float(), columns[i + rotary_size // 2].float()
        columns[i] = (a * angle.cos() - b * angle.sin()).to(x.dtype)
        columns[i + rotary_size // 2] = (b * angle.cos() + a * angle.sin()).to(x.dtype)
    return torch.stack(columns, dim=-1)


QUESTION = Question(
    id="partial_rotary",
    title="Turn a part of each head",
    signature="partial_rotary(query, key, position_ids, rotary_size, base=10000.0)",
    reference=partial_rotary,
    helpers=(turn,),
    cases=_rotary_cases,
    parts=(
        Part("core", "the first numbers of each head turn, the others stay", 2),
        Part("grouped", "fewer heads of keys than of queries", 1),
        Part("sound", "gradients, bfloat16, and the law of distance", 1),
    ),
    minutes=25,
    difficulty=2,
    section=ROTARY,
    tolerance=1e-4,
    alternatives={
        "the chapter's module": _on_both(_module_rotary),
        "rotate half, as in Llama": _on_both(_rotate_half),
        "complex numbers": _on_both(_complex_rotary),
        "matrices in float64": _on_both(_matrix_rotary),
        "loop over pairs": _on_both(_loop_rotary),
    },
)
