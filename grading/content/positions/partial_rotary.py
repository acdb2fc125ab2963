"""Turn a part of each head."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from grading.content.drawing import one_of
from grading.content.positions import harnesses
from grading.content.positions.sections import CONVENTIONS, MISTAKES, ROTARY
from grading.content.positions.shared import Made, draw_position_ids, normal
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.positions import (
    RotaryPositions,
)


def _partial_rotary(query, key, position_ids, rotary_size, base=10000.0):
    turn = RotaryPositions(rotary_size, base)
    return tuple(
        torch.cat([turn(x[..., :rotary_size], position_ids), x[..., rotary_size:]], dim=-1)
        for x in (query, key)
    )


def _rotary(made: Made) -> Callable:
    def turn(x, position_ids, rotary_size, base, sign):
        head_size = x.size(-1)
        size = head_size if "whole_head" in made else rotary_size
        if "ids_ignored" in made:
            position_ids = torch.arange(x.size(2)).expand(x.size(0), -1)
        elif "first_row" in made:
            position_ids = position_ids[:1].expand(x.size(0), -1)
        pairs = torch.arange(size // 2) + ("pairs_from_one" in made)
        exponent = pairs * (1 if "exponent" in made else 2)
        exponent = exponent / (head_size if "exponent_head_size" in made else size)
        base = 10000.0 if "base_fixed" in made else base
        angles = position_ids[:, None, :, None] * base**-exponent * sign
        cos, sin = angles.cos(), angles.sin()
        if "last_part" in made:
            rest, part = x[..., : head_size - size], x[..., head_size - size :]
        else:
            part, rest = x[..., :size], x[..., size:]
        if "interleaved" in made:
            first, second = part[..., 0::2], part[..., 1::2]
        else:
            first, second = part.chunk(2, dim=-1)
        if "no_minus" in made:
            turned = first * cos + second * sin, second * cos + first * sin
        elif "two_minuses" in made:
            turned = first * cos - second * sin, second * cos - first * sin
        else:
            turned = first * cos - second * sin, second * cos + first * sin
        if "interleaved" in made:
            part = torch.stack(turned, dim=-1).flatten(-2)
        else:
            part = torch.cat(turned, dim=-1)
        part = part.to(x.dtype)
        if "rest_dropped" in made:
            return part
        return torch.cat([rest, part] if "last_part" in made else [part, rest], dim=-1)

    def implementation(query, key, position_ids, rotary_size, base=10000.0):
        sign = -1 if "sign" in made else 1
        turned = turn(query, position_ids, rotary_size, base, sign)
        if "key_not_turned" in made:
            return turned, key
        other = -sign if "opposite" in made else sign
        return turned, turn(key, position_ids, rotary_size, base, other)

    return implementation


def _rotary_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, batch, heads, tokens, head_size, rotary_size, **options):
        key_heads, base = options.pop("key_heads", heads), options.pop("base", None)
        arguments = [
            ("query", normal(generator, batch, heads, tokens, head_size)),
            ("key", normal(generator, batch, key_heads, tokens, head_size)),
            ("position_ids", draw_position_ids(generator, batch, tokens) + options.pop("start", 0)),
            ("rotary_size", rotary_size),
        ]
        if base:
            arguments.append(("base", base))
        return Case(title, part, tuple(arguments), **options)

    base = one_of(generator, 30.0, 100.0, 700.0)
    return [
        case("part of each head turns", "core", 2, 2, 3, one_of(generator, 8, 9), 6),
        case("another base, one token", "core", 3, 2, 1, 7, 4, base=base),
        case("a batch of one, transposed views", "core", 1, 3, 2, 10, 4, strided=True),
        case("the whole head turns", "core", 2, 1, 3, 6, 6, base=2 * base),
        case("fewer key heads than query heads", "grouped", 2, 3, 3, 7, 4, key_heads=1),
        case("gradients", "sound", 2, 1, 3, 7, 4, gradient=True),
        case("the whole text moved", "sound", 2, 2, 5, 9, 6, harness=harnesses.moved),
        case(
            "far away in bfloat16", "sound", 2, 3, 4, 9, 6, start=900, harness=harnesses.in_bfloat16
        ),
    ]


def _on_both(turn: Callable) -> Callable:
    """Turn queries and keys with one function ``turn(x, position_ids, rotary_size, base)``."""

    def implementation(query, key, position_ids, rotary_size, base=10000.0):
        return tuple(turn(x, position_ids, rotary_size, base) for x in (query, key))

    return implementation


def _turned(x, angles, rotary_size):
    """Turn the first numbers of each head by ``angles``, ``[..., pairs]``, of any dtype."""
    first, second, rest = x.tensor_split([rotary_size // 2, rotary_size], dim=-1)
    cos, sin = angles.cos(), angles.sin()
    part = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return torch.cat([part.to(x.dtype), rest], dim=-1)


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
    angles = _rotary_angles(position_ids, rotary_size, base)[
        :, 0
    ].double()  # [batch, tokens, pairs]
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


def _stacked_rotary(query, key, position_ids, rotary_size, base=10000.0):
    angles = _rotary_angles(position_ids, rotary_size, base)
    return _turned(torch.stack([query, key]), angles, rotary_size).unbind(0)


def _halves_of_the_head(x, position_ids, rotary_size, base):
    half, pairs = x.size(-1) // 2, rotary_size // 2
    angles = _rotary_angles(position_ids, rotary_size, base)
    first, second = x[..., :pairs], x[..., half : half + pairs]
    result = x.clone()
    result[..., :pairs] = first * angles.cos() - second * angles.sin()
    result[..., half : half + pairs] = second * angles.cos() + first * angles.sin()
    return result


def _partners_across_the_head(x, position_ids, rotary_size, base):
    """Halves of the whole head are exchanged, and only the first numbers are turned by them."""
    angles = _rotary_angles(position_ids, rotary_size, base).repeat(1, 1, 1, 2)
    half = x.size(-1) // 2
    other = torch.cat([-x[..., half:], x[..., :half]], dim=-1)[..., :rotary_size]
    turned = x[..., :rotary_size] * angles.cos() + other * angles.sin()
    return torch.cat([turned.to(x.dtype), x[..., rotary_size:]], dim=-1)


def _head_axis(x, position_ids, rotary_size, base):
    angles = _rotary_angles(position_ids, rotary_size, base).transpose(1, 2)
    return _turned(x, angles, rotary_size)


def _in_place_rotary(x, position_ids, rotary_size, base):
    x[..., :rotary_size] = RotaryPositions(rotary_size, base)(x[..., :rotary_size], position_ids)
    return x


def _overwritten(x, position_ids, rotary_size, base):
    angles = _rotary_angles(position_ids, rotary_size, base)
    first, second, rest = x.tensor_split([rotary_size // 2, rotary_size], dim=-1)
    first = first * angles.cos() - second * angles.sin()
    second = second * angles.cos() + first * angles.sin()
    return torch.cat([first, second, rest], dim=-1).to(x.dtype)


def _angles_of_neighbours(x, position_ids, rotary_size, base):
    angles = _rotary_angles(position_ids, rotary_size, base).repeat_interleave(2, dim=-1)
    first, second, rest = x.tensor_split([rotary_size // 2, rotary_size], dim=-1)
    part, half = torch.cat([first, second], dim=-1), torch.cat([-second, first], dim=-1)
    return torch.cat([part * angles.cos() + half * angles.sin(), rest], dim=-1).to(x.dtype)


def _keys_repeated(query, key, *rest):
    query, key = _partial_rotary(query, key, *rest)
    return query, key.repeat_interleave(query.size(1) // key.size(1), dim=1)


def _exchanged(x, position_ids, rotary_size, base):
    return _turned(x, math.pi / 2 - _rotary_angles(position_ids, rotary_size, base), rotary_size)


def _halved_dtype(x, position_ids, rotary_size, base):
    speeds = (base ** (-torch.arange(0, rotary_size, 2) / rotary_size)).to(x.dtype)
    return _turned(x, position_ids[:, None, :, None].to(x.dtype) * speeds, rotary_size)


def _float32_result(x, position_ids, rotary_size, base):
    return _turned(x.float(), _rotary_angles(position_ids, rotary_size, base), rotary_size)


EXERCISE = Exercise(
    id="partial_rotary",
    title="Turn a part of each head",
    signature="partial_rotary(query, key, position_ids, rotary_size, base=10000.0)",
    reference=_partial_rotary,
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
    variant=_rotary,
    alternatives={
        "step by step": _rotary(frozenset()),
        "rotate half, as in Llama": _on_both(_rotate_half),
        "complex numbers": _on_both(_complex_rotary),
        "matrices in float64": _on_both(_matrix_rotary),
        "loop over pairs": _on_both(_loop_rotary),
    },
    mistakes=(
        Mistake(
            "interleaved",
            "The pairs are neighbours, (0, 1), (2, 3), …: that is the interleaved convention. Here "
            "number i belongs to number i + rotary_size / 2.",
            section=CONVENTIONS,
        ),
        Mistake(
            "ids_ignored",
            "`position_ids` is not used: the tokens are numbered 0, 1, 2, … from the left.",
            section=MISTAKES,
        ),
        Mistake(
            "first_row",
            "Every sentence is turned by the positions of the first one.",
            _rotary(frozenset({"first_row"})),
        ),
        Mistake(
            "sign",
            "Queries and keys are turned backwards, both by minus the angle: the sign of the "
            "sines is wrong. Distances still count, but with before and after exchanged.",
        ),
        Mistake(
            "opposite",
            "Queries are turned forwards and keys backwards, so scores depend on the sum of the "
            "positions. Both turn in the same direction.",
        ),
        Mistake(
            "key_not_turned",
            "Only the queries are turned; keys must be turned by their positions as well.",
            section="“In attention: query and key, not value” in chapter 5",
        ),
        Mistake(
            "exponent_head_size",
            "The exponent is divided by the size of the whole head; it is 2i / rotary_size, as if "
            "the part that turns were all there is.",
        ),
        Mistake(
            "exponent",
            "The exponent is half of what it should be, i/d for pair i; it must be 2i/d.",
            section=MISTAKES,
        ),
        Mistake(
            "pairs_from_one",
            "The pairs are counted from 1, so the fastest one is missing: pair 0 turns by 1 radian "
            "for each position.",
            _rotary(frozenset({"pairs_from_one"})),
        ),
        Mistake(
            "base_fixed",
            "10000 is written into the code, and the argument `base` is not used.",
        ),
        Mistake(
            "whole_head",
            "All of each head is turned; only its first `rotary_size` numbers may be.",
        ),
        Mistake(
            "last_part",
            "The last `rotary_size` numbers of each head are turned; it must be the first ones.",
            _rotary(frozenset({"last_part"})),
        ),
        Mistake(
            "no_minus",
            "Both products are added in the first half. A rotation has a minus: "
            "first · cos − second · sin.",
        ),
        Mistake(
            "two_minuses",
            "Both halves have a minus. The second half has a plus: second · cos + first · sin.",
            _rotary(frozenset({"two_minuses"})),
        ),
        Mistake(
            "rest_dropped",
            "Only the turned numbers come back; the rest of each head must follow them, unchanged.",
            _rotary(frozenset({"rest_dropped"})),
        ),
        Mistake(
            "rest_zero",
            "The rest of each head is zero; it must be what it was.",
            _on_both(
                lambda x, ids, size, base: torch.nn.functional.pad(
                    RotaryPositions(size, base)(x[..., :size], ids), (0, x.size(-1) - size)
                )
            ),
        ),
        Mistake(
            "rest_first",
            "The rest of each head comes before its turned numbers; the order must stay as it was.",
            _on_both(
                lambda x, ids, size, base: torch.cat(
                    [x[..., size:], RotaryPositions(size, base)(x[..., :size], ids)], dim=-1
                )
            ),
        ),
        Mistake(
            "halves_of_the_head",
            "The second partners are taken from the second half of the whole head; number i "
            "belongs to number i + rotary_size / 2.",
            _on_both(_halves_of_the_head),
        ),
        Mistake(
            "partners_across_the_head",
            "The halves are those of the whole head (`rotate_half` of everything), so a number is "
            "turned with a wrong partner. Cut off the part that turns first, then halve it.",
            _on_both(_partners_across_the_head),
        ),
        Mistake(
            "from_the_first_place",
            "The positions are taken relative to the first one of each row; use them as they are. "
            "(The scores would not show it, but other code turns its keys by the right positions.)",
            _on_both(
                lambda x, ids, size, base: _turned(
                    x, _rotary_angles(ids - ids[:, :1], size, base), size
                )
            ),
        ),
        Mistake(
            "query_not_turned",
            "Only the keys are turned; queries must be turned by their positions as well.",
            lambda query, key, *rest: (query, _partial_rotary(query, key, *rest)[1]),
            section="“In attention: query and key, not value” in chapter 5",
        ),
        Mistake(
            "exchanged_results",
            "Queries and keys are exchanged in the result: return the queries first.",
            lambda query, key, *rest: _partial_rotary(key, query, *rest),
        ),
        Mistake(
            "sine_and_cosine_exchanged",
            "Sine and cosine are exchanged: at position 0 nothing may turn, so the cosine stays "
            "with the number itself.",
            _on_both(_exchanged),
        ),
        Mistake(
            "exponent_doubled",
            "The exponent is twice what it should be: `torch.arange(0, rotary_size, 2)` counts 2i "
            "already, so do not multiply it by 2 again.",
            _on_both(
                lambda x, ids, size, base: _turned(x, _rotary_angles(ids, size, base**2), size)
            ),
        ),
        Mistake(
            "speeds_up",
            "The pairs turn faster and faster instead of more slowly: the sign of the exponent is "
            "wrong.",
            _on_both(
                lambda x, ids, size, base: _turned(x, _rotary_angles(ids, size, 1 / base), size)
            ),
        ),
        Mistake(
            "overwritten",
            "The first partner was overwritten before the second one was computed: both need the "
            "numbers as they were before turning.",
            _on_both(_overwritten),
        ),
        Mistake(
            "angles_of_neighbours",
            "The angles are repeated for neighbours (`repeat_interleave`), but the partners are "
            "taken from two halves. For halves, put the angles side by side twice: "
            "`torch.cat([angles, angles], dim=-1)`.",
            _on_both(_angles_of_neighbours),
            section=CONVENTIONS,
        ),
        Mistake(
            "keys_with_default_base",
            "The queries are turned with `base`, the keys with 10000.",
            lambda query, key, ids, size, base=10000.0: (
                _partial_rotary(query, key, ids, size, base)[0],
                _partial_rotary(query, key, ids, size)[1],
            ),
        ),
        Mistake(
            "keys_repeated",
            "The keys came back with as many heads as the queries; they keep the heads they have.",
            _keys_repeated,
            points=3,
        ),
        Mistake(
            "turned_twice",
            "Everything is turned twice, by double the angle.",
            _on_both(
                lambda x, ids, size, base: _turned(x, 2 * _rotary_angles(ids, size, base), size)
            ),
        ),
        Mistake(
            "places_from_one",
            "Each position is one too large: `position_ids` says the positions as they are. (The "
            "scores would not show it, but other code turns its keys by the right positions.)",
            _on_both(
                lambda x, ids, size, base: _turned(x, _rotary_angles(ids + 1, size, base), size)
            ),
        ),
        Mistake(
            "added",
            "The sines and cosines are added to the numbers; they must turn them.",
            _on_both(
                lambda x, ids, size, base: (
                    torch.cat(
                        [
                            x[..., :size] + torch.cat([a.sin(), a.cos()], dim=-1),
                            x[..., size:],
                        ],
                        dim=-1,
                    )
                    if (a := _rotary_angles(ids, size, base)) is not None
                    else x
                )
            ),
        ),
        Mistake(
            "cosine_only",
            "Each number is multiplied by its cosine only; the other one of the pair, times the "
            "sine, is missing.",
            _on_both(
                lambda x, ids, size, base: torch.cat(
                    [
                        x[..., :size] * _rotary_angles(ids, size, base).cos().repeat(1, 1, 1, 2),
                        x[..., size:],
                    ],
                    dim=-1,
                )
            ),
        ),
        Mistake(
            "head_axis",
            "The angles lie along the heads instead of the tokens. [batch, tokens, pairs] becomes "
            "[batch, 1, tokens, pairs].",
            _on_both(_head_axis),
        ),
        Mistake(
            "scaled",
            "The queries are also divided by √d; scaling is left to the attention.",
            lambda query, key, *rest: _partial_rotary(
                query / math.sqrt(query.size(-1)), key, *rest
            ),
        ),
        Mistake(
            "stacked",
            "It fails where keys have fewer heads than queries: do not stack or combine both, turn "
            "each by itself.",
            _stacked_rotary,
            points=3,
        ),
        Mistake(
            "in_place",
            "The numbers are right, but `query` and `key` themselves were changed; make new "
            "tensors.",
            _on_both(_in_place_rotary),
            any_error=True,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`).",
            lambda *arguments: tuple(part.detach() for part in _partial_rotary(*arguments)),
            points=3,
        ),
        Mistake(
            "float32_result",
            "All is right in float32, but bfloat16 queries and keys come back as float32: the "
            "cosines lift them. Convert the result back with `.to(query.dtype)`.",
            _on_both(_float32_result),
            points=3,
        ),
        Mistake(
            "angles_rounded",
            "Positions or speeds are converted to the dtype of the queries before they are "
            "multiplied: in bfloat16 position 901 is 900. Compute angles in float32.",
            _on_both(_halved_dtype),
            points=3,
            section="“The finished module” in chapter 5",
        ),
    ),
)
