"""Assignment 5, positions: five exercises that are graded by running them.

The sixth, a written answer, is graded by hand with the rubric in the notebook.

Position ids are gapped and differ from row to row, so that counting 0, 1, 2, … shows. Two exercises
compare to 1e-4 instead of 1e-5: an angle of 500 radians has only so many digits in float32, and
every correct way to compute it rounds elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor

from grading.content import positions_drivers as drivers
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.positions import (
    RotaryPositions,
    SinusoidalPositions,
    alibi_bias,
    alibi_slopes,
    position_ids_of,
)

ASSIGNMENT = "05_positions"

_SINUSOIDS = "“Sinusoidal positions: a clock with many hands” in chapter 5"
_FACTOR = "“The factor √d_model” in chapter 5"
_ROTARY = "“Rotary positions: turn instead of add” in chapter 5"
_CONVENTIONS = "“From one convention to the other” in chapter 5"
_ALIBI = "“ALiBi: a penalty on distance” in chapter 5"
_PADDED = "“Which position has a padded token?” in chapter 5"
_MISTAKES = "“Common mistakes” in chapter 5"

Made = frozenset[str]  # the identifiers of the mistakes that an implementation makes


def _normal(generator: torch.Generator, *shape: int, size: float = 1.3) -> Tensor:
    return torch.randn(*shape, generator=generator) * size


def _one_of(generator: torch.Generator, *choices):
    return choices[int(torch.randint(len(choices), (), generator=generator))]


def _places(generator: torch.Generator, rows: int, tokens: int, far: int = 40) -> Tensor:
    """Draw position ids with gaps, in no order, each row its own; none is 0 or 1."""
    return torch.stack([torch.randperm(far, generator=generator)[:tokens] + 2 for _ in range(rows)])


# ---- Exercise 1: repaired_positions ------------------------------------------------------------


def _repaired_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    return math.sqrt(size) * embeddings + SinusoidalPositions(size, base)(position_ids)


def _positions(made: Made) -> Callable:
    def implementation(embeddings, position_ids, base=10000.0):
        batch, tokens, size = embeddings.shape
        places = position_ids
        if "batch_axis" in made:
            places = torch.arange(batch)[:, None].expand(batch, tokens)
        elif "ids_ignored" in made:
            places = torch.arange(tokens).expand(batch, tokens)
        elif "first_row" in made:
            places = position_ids[:1].expand(batch, tokens)
        if "places_from_one" in made:
            places = places + 1
        base = 10000.0 if "base_fixed" in made else base
        pairs = torch.arange(size // 2 if "odd" in made else (size + 1) // 2)
        pairs = pairs + ("pairs_from_one" in made)
        factor = 1 if "exponent" in made else 4 if "exponent_doubled" in made else 2
        angles = places[..., None] * base ** (-factor * pairs / size)
        first, second = angles.sin(), angles.cos()
        if "cosine_first" in made:
            first, second = second, first
        if "halves" in made:
            waves = torch.cat([first, second], dim=-1)[..., :size]
        else:
            waves = torch.zeros(batch, tokens, size)
            waves[..., 0::2] = first
            waves[..., 1::2] = second if "odd" in made else second[..., : size // 2]
        root = math.sqrt(size)
        if "scaled_sum" in made:
            return (embeddings + waves) * root
        if "no_scale" in made:
            return embeddings + waves
        return embeddings * root + waves

    return implementation


def _positions_cases(generator: torch.Generator) -> list[Case]:
    def case(title, part, batch, tokens, size, base=None, places=None, **options):
        arguments = [("embeddings", _normal(generator, batch, tokens, size, size=0.7))]
        drawn = _places(generator, batch, tokens)
        arguments.append(("position_ids", drawn if places is None else places))
        if base:
            arguments.append(("base", base))
        return Case(title, part, tuple(arguments), **options)

    near = _places(generator, 1, 4)
    far = torch.cat([near, near + 500])
    base = _one_of(generator, 20.0, 50.0, 300.0)
    return [
        case("positions with gaps, other ones in each row", "core", 3, 5, 6),
        case("two rows 500 apart", "core", 2, 4, 6, places=far),
        case("one token in a batch of one", "core", 1, 1, _one_of(generator, 8, 10)),
        case("gradients", "core", 2, 3, 4, gradient=True),
        case("another base, transposed views", "base", 3, 2, 8, base, strided=True),
        case("an odd size", "odd", 2, 3, _one_of(generator, 5, 7)),
        case("a larger odd size", "odd", 2, 3, _one_of(generator, 9, 11)),
        case("vectors of one number", "odd", 2, 3, 1),
    ]


_LEFT_OVER = {
    "batch_axis": "the position is the number of the sentence in the batch (`torch.arange(batch)`) "
    "and `position_ids` is not used",
    "exponent": "the exponent is i/d, where i counts pairs; it must be 2i/d",
    "scaled_sum": "the factor √d multiplies the waves as well; it belongs to the embeddings alone",
    "base_fixed": "10000 is written into the code, and the argument `base` is not used",
    "odd": "an odd size still fails: it has one sine more than cosines",
}


def _left_over_mistakes() -> list[Mistake]:
    """One mistake for each bug left in the released function, and for two and three in its core.

    Other pairs are recognised if they explain everything; a core with several bugs in it is named
    whatever happened to base and odd sizes.
    """
    mistakes = [
        Mistake(
            name,
            f"{reason[0].upper()}{reason[1:]}.",
            points=3 if name in ("base_fixed", "odd") else 0,
            section={"scaled_sum": _FACTOR, "base_fixed": _SINUSOIDS}.get(name, _MISTAKES),
        )
        for name, reason in _LEFT_OVER.items()
    ]
    core = ("batch_axis", "exponent", "scaled_sum")
    for left in (*combinations(core, 2), core):
        reasons = "; ".join(_LEFT_OVER[name] for name in left)
        mistakes.append(
            Mistake("_and_".join(left), f"Still there: {reasons}.", _positions(frozenset(left)))
        )
    return mistakes


def _on_waves(change: Callable[[Tensor, Tensor, float], Tensor]) -> Callable:
    """Make an implementation of what is done with embeddings, waves and √d."""

    def implementation(embeddings, position_ids, base=10000.0):
        size = embeddings.size(-1)
        waves = SinusoidalPositions(size, base)(position_ids)
        return change(embeddings, waves, math.sqrt(size))

    return implementation


def _with_angles(exponents: Callable[[int], tuple[Tensor, Tensor]]) -> Callable:
    """Make an implementation of the exponents of its sines and of its cosines."""

    def implementation(embeddings, position_ids, base=10000.0):
        size = embeddings.size(-1)
        for_sine, for_cosine = exponents(size)
        waves = torch.zeros(embeddings.shape)
        waves[..., 0::2] = (position_ids[..., None] * base**for_sine).sin()
        waves[..., 1::2] = (position_ids[..., None] * base**for_cosine).cos()
        return embeddings * math.sqrt(size) + waves

    return implementation


def _two_i(size: int) -> tuple[Tensor, Tensor]:
    return torch.arange(0, size, 2), torch.arange(0, size - 1, 2)


def _loop_positions(embeddings, position_ids, base=10000.0):
    result = embeddings * embeddings.size(-1) ** 0.5
    waves = torch.empty_like(embeddings)
    size = embeddings.size(-1)
    for b, row in enumerate(position_ids.tolist()):
        for t, place in enumerate(row):
            for j in range(size):
                angle = place / base ** (2 * (j // 2) / size)
                waves[b, t, j] = math.cos(angle) if j % 2 else math.sin(angle)
    return result + waves.detach()


def _table_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    place = torch.arange(int(position_ids.max()) + 1, dtype=torch.float32).unsqueeze(1)
    speeds = torch.exp(torch.arange(0, size, 2).float() * (-math.log(base) / size))
    table = torch.zeros(place.size(0), size)
    table[:, 0::2] = torch.sin(place * speeds)
    table[:, 1::2] = torch.cos(place * speeds[: size // 2])
    return embeddings * math.sqrt(size) + table[position_ids]


def _phase_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    j = torch.arange(size)
    angles = position_ids.double().unsqueeze(-1) / base ** ((j - j % 2).double() / size)
    waves = torch.sin(angles + (j % 2) * (math.pi / 2))
    return torch.add(waves.float(), embeddings, alpha=math.sqrt(size))


def _complex_positions(embeddings, position_ids, base=10000.0):
    size = embeddings.shape[-1]
    angles = torch.outer(position_ids.flatten(), base ** -(torch.arange(0, size, 2) / size))
    hands = torch.view_as_real(torch.polar(torch.ones_like(angles), angles)).flip(-1)
    waves = hands.reshape(*position_ids.shape, -1)[..., :size]
    return torch.addcmul(waves, embeddings, torch.tensor(size).sqrt())


def _with_speeds(angles: Callable[[Tensor, Tensor, float], Tensor]) -> Callable:
    """Make an implementation of ``angles(position_ids[..., None], 2i / d, base)``."""

    def implementation(embeddings, position_ids, base=10000.0):
        size = embeddings.size(-1)
        found = angles(position_ids[..., None], torch.arange(0, size, 2) / size, base)
        waves = torch.stack([found.sin(), found.cos()], dim=-1).flatten(-2)
        return embeddings * math.sqrt(size) + waves[..., :size]

    return implementation


def _uncut(embeddings, position_ids, base=10000.0):
    size = embeddings.size(-1)
    waves = SinusoidalPositions(size + size % 2, base ** ((size + size % 2) / size))(position_ids)
    return embeddings * math.sqrt(size) + waves


def _too_many_cosines(embeddings, position_ids, base=10000.0):
    if embeddings.size(-1) % 2 and embeddings.size(-1) > 1:
        raise ValueError("As many cosines as sines do not fit.")
    return _repaired_positions(embeddings, position_ids, base)


def _short_table(embeddings, position_ids, base=10000.0):
    table = SinusoidalPositions(embeddings.size(-1), base)(torch.arange(512))
    return embeddings * math.sqrt(embeddings.size(-1)) + table[position_ids]


def _in_place_positions(embeddings, position_ids, base=10000.0):
    embeddings *= math.sqrt(embeddings.size(-1))
    return embeddings + SinusoidalPositions(embeddings.size(-1), base)(position_ids)


def _one_row(embeddings, position_ids, base=10000.0):
    row = torch.full_like(position_ids, embeddings.size(1))
    return _repaired_positions(embeddings, row, base)


def _on_odd(repair: Callable[[Tensor, Tensor, float], Tensor]) -> Callable:
    """Right for even sizes; for odd ones ``repair`` gives the waves."""

    def implementation(embeddings, position_ids, base=10000.0):
        size = embeddings.size(-1)
        if size % 2 == 0:
            return _repaired_positions(embeddings, position_ids, base)
        waves = repair(embeddings, position_ids, base)
        return embeddings[..., : waves.size(-1)] * math.sqrt(size) + waves

    return implementation


def _last_zero(embeddings, position_ids, base):
    waves = SinusoidalPositions(embeddings.size(-1), base)(position_ids)
    waves[..., -1] = 0.0
    return waves


def _last_cosine(embeddings, position_ids, base):
    size = embeddings.size(-1)
    waves = SinusoidalPositions(size, base)(position_ids)
    waves[..., -1] = (position_ids * base ** (-(size - 1) / size)).cos()
    return waves


def _rounded_down(embeddings, position_ids, base):
    size = embeddings.size(-1)
    return SinusoidalPositions(size, base ** (size / max(size - 1, 1)))(position_ids)


def _shifted_cosines(embeddings, position_ids, base):
    size = embeddings.size(-1)
    angles = position_ids[..., None] * base ** (-torch.arange(0, size, 2) / size)
    waves = torch.zeros(embeddings.shape)
    waves[..., 0::2] = angles.sin()
    waves[..., 1::2] = angles[..., 1:].cos()
    return waves


REPAIRED_POSITIONS = Exercise(
    id="repaired_positions",
    title="Bug hunt: waves that say nothing",
    signature="repaired_positions(embeddings, position_ids, base=10000.0)",
    reference=_repaired_positions,
    cases=_positions_cases,
    parts=(
        Part("core", "the right waves for any position ids", 2),
        Part("base", "any base", 1),
        Part("odd", "an odd size", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_SINUSOIDS,
    tolerance=1e-4,
    variant=_positions,
    alternatives={
        "step by step": _positions(frozenset()),
        "loop": _loop_positions,
        "a table as long as needed, exponentials": _table_positions,
        "in float64, cosine as a shifted sine": _phase_positions,
        "complex numbers": _complex_positions,
    },
    mistakes=(
        *_left_over_mistakes(),
        Mistake(
            "ids_ignored",
            "The tokens are numbered 0, 1, 2, … from the left of each row, and `position_ids` is "
            "not used.",
        ),
        Mistake(
            "first_row",
            "Every sentence gets the positions of the first one.",
            _positions(frozenset({"first_row"})),
        ),
        Mistake(
            "places_from_one",
            "Each position is one too large: `position_ids` says the positions as they are, "
            "counted from 0.",
            _positions(frozenset({"places_from_one"})),
        ),
        Mistake(
            "pairs_from_one",
            "The pairs are counted from 1, so the fastest hand is missing: the first pair has "
            "i = 0 and turns by 1 radian for each position.",
        ),
        Mistake(
            "exponent_doubled",
            "The exponent is twice what it should be, 4i/d for pair i: `torch.arange(0, d, 2)` "
            "counts 2i already, so do not multiply it by 2 again.",
            section=_MISTAKES,
        ),
        Mistake(
            "cosine_first",
            "Sine and cosine are exchanged: the even dimensions 0, 2, … hold the sines.",
            _positions(frozenset({"cosine_first"})),
        ),
        Mistake(
            "halves",
            "All sines come first and then all cosines; here they alternate, sine and cosine of a "
            "pair side by side.",
        ),
        Mistake(
            "no_scale",
            "The embeddings are added without the factor √d.",
            section=_FACTOR,
        ),
        Mistake(
            "scale_divided",
            "The embeddings are divided by √d; they must be multiplied by it.",
            _on_waves(lambda x, waves, root: x / root + waves),
            section=_FACTOR,
        ),
        Mistake(
            "scale_d",
            "The embeddings are multiplied by d itself; the factor is its root.",
            _on_waves(lambda x, waves, root: x * root**2 + waves),
            section=_FACTOR,
        ),
        Mistake(
            "scale_at_waves",
            "The factor √d is at the waves; it belongs to the embeddings.",
            _on_waves(lambda x, waves, root: x + waves * root),
            section=_FACTOR,
        ),
        Mistake(
            "no_embeddings",
            "These are the waves alone; the embeddings, times √d, are missing.",
            _on_waves(lambda x, waves, root: waves),
        ),
        Mistake(
            "no_waves",
            "These are the embeddings times √d; the waves are missing.",
            _on_waves(lambda x, waves, root: x * root),
        ),
        Mistake(
            "subtracted",
            "The waves are subtracted; add them.",
            _on_waves(lambda x, waves, root: x * root - waves),
        ),
        Mistake(
            "multiplied",
            "The waves multiply the embeddings; they must be added.",
            _on_waves(lambda x, waves, root: x * root * waves),
        ),
        Mistake(
            "dimension_over_d",
            "The exponent counts dimensions: sine and cosine of a pair turn at different speeds. "
            "Both must have 2i/d, with i the number of the pair.",
            _with_angles(
                lambda size: (
                    -torch.arange(0, size, 2) / size,
                    -torch.arange(1, size, 2) / size,
                )
            ),
            section=_MISTAKES,
        ),
        Mistake(
            "two_dimensions_over_d",
            "The exponent is 2 · dimension / d, with dimensions where pairs should be counted: "
            "sine and cosine of a pair turn at different speeds, and nearly all too slowly.",
            _with_angles(
                lambda size: (
                    -2 * torch.arange(0, size, 2) / size,
                    -2 * torch.arange(1, size, 2) / size,
                )
            ),
            section=_MISTAKES,
        ),
        Mistake(
            "speeds_up",
            "The hands become faster instead of slower: the sign of the exponent is wrong, or "
            "10000^(2i/d) multiplies the position instead of dividing it.",
            _with_angles(lambda size: tuple(two_i / size for two_i in _two_i(size))),
        ),
        Mistake(
            "over_pairs",
            "The exponent is divided by d − 2, so that the slowest hand has exactly the base; the "
            "paper divides by d.",
            _with_angles(
                lambda size: tuple(-two_i / max(size - 2 + size % 2, 1) for two_i in _two_i(size))
            ),
        ),
        Mistake(
            "one_row",
            "All tokens get the vector of one place, the one after the last token: a colon is "
            "missing, as in `pe[tokens]` for `pe[:tokens]`, and `position_ids` is not used.",
            _one_row,
            section=_MISTAKES,
        ),
        Mistake(
            "short_table",
            "The table of waves has a fixed number of rows, and a position lies beyond it. The "
            "formula has no end: compute the waves from `position_ids`.",
            _short_table,
            section="“Beyond the trained length” in chapter 5",
            any_error=True,
        ),
        Mistake(
            "in_place",
            "The numbers are right, but `embeddings` itself was changed (`*=`, `+=`, `mul_`); make "
            "a new tensor.",
            _in_place_positions,
            any_error=True,
        ),
        Mistake(
            "no_gradient",
            "The numbers are right, but they are cut off from autograd (`detach`, `.data`, "
            "`no_grad`), so the embeddings could not be trained.",
            _on_waves(lambda x, waves, root: x.detach() * root + waves),
        ),
        Mistake(
            "sines_only",
            "The odd dimensions hold sines, too; they must hold the cosines.",
            lambda x, ids, base=10000.0: (
                x * math.sqrt(x.size(-1))
                + (
                    ids[..., None]
                    * (base ** (-torch.arange(0, x.size(-1), 2) / x.size(-1))).repeat_interleave(2)[
                        : x.size(-1)
                    ]
                ).sin()
            ),
        ),
        Mistake(
            "degrees",
            "The angles were converted as if they were degrees; position times speed is in "
            "radians already, which is what `sin` and `cos` take.",
            _with_speeds(lambda places, two_i, base: torch.deg2rad(places * base**-two_i)),
        ),
        Mistake(
            "whole_angles",
            "The angles are rounded to whole numbers; they must keep their fractions.",
            _with_speeds(lambda places, two_i, base: (places * base**-two_i).long()),
        ),
        Mistake(
            "logarithm_to_two",
            "The speeds are e to the power of a logarithm to the base 2; `exp` goes with the "
            "natural logarithm, `math.log`.",
            _with_speeds(lambda places, two_i, b: places * torch.exp(-two_i * math.log2(b))),
        ),
        Mistake(
            "logarithm_to_ten",
            "The speeds are e to the power of a logarithm to the base 10; `exp` goes with the "
            "natural logarithm, `math.log`.",
            _with_speeds(lambda places, two_i, b: places * torch.exp(-two_i * math.log10(b))),
        ),
        Mistake(
            "from_the_first_place",
            "The positions are taken relative to the first one of each row; use them as they are.",
            _with_speeds(lambda places, two_i, base: (places - places[:, :1]) * base**-two_i),
        ),
        Mistake(
            "scale_tokens",
            "The embeddings are multiplied by the root of the number of tokens; d is the length of "
            "one vector, `embeddings.size(-1)`.",
            lambda x, ids, *base: (
                x * math.sqrt(x.size(1)) + SinusoidalPositions(x.size(-1), *base)(ids)
            ),
            section=_FACTOR,
        ),
        Mistake(
            "odd_lengths",
            "With an odd size the waves do not have the same length as the embeddings, which is "
            "an error: cut off the cosine that is too many, or add the sine that is missing.",
            _uncut,
            points=3,
        ),
        Mistake(
            "too_many_cosines",
            "It fails for odd sizes, where there is one sine more than cosines: only the first "
            "size // 2 cosines fit.",
            _too_many_cosines,
            any_error=True,
            points=3,
        ),
        Mistake(
            "odd_zero",
            "With an odd size the last number is 0; it must be the sine of the last pair, which "
            "only has no cosine.",
            _on_odd(_last_zero),
            points=3,
        ),
        Mistake(
            "odd_last_cosine",
            "With an odd size the last number is a cosine; it must be the sine of the last pair.",
            _on_odd(_last_cosine),
            points=3,
        ),
        Mistake(
            "odd_size_rounded_up",
            "With an odd size the exponents are divided by d + 1 (or the waves are those of size "
            "d + 1, cut off); divide by d as it is.",
            _on_odd(lambda x, ids, base: SinusoidalPositions(x.size(-1) + 1, base)(ids)[..., :-1]),
            points=3,
        ),
        Mistake(
            "odd_size_rounded_down",
            "With an odd size the exponents are divided by d − 1; divide by d as it is.",
            _on_odd(_rounded_down),
            points=3,
        ),
        Mistake(
            "odd_cosines_shifted",
            "With an odd size the cosines lost their first column instead of their last, so each "
            "sine stands beside the cosine of the next pair.",
            _on_odd(_shifted_cosines),
            points=3,
        ),
        Mistake(
            "odd_cut",
            "With an odd size the result is one number too short: d − 1 instead of d.",
            _on_odd(lambda x, ids, base: SinusoidalPositions(x.size(-1), base)(ids)[..., :-1]),
            points=3,
        ),
    ),
)


# ---- Exercise 2: partial_rotary ----------------------------------------------------------------


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
            ("query", _normal(generator, batch, heads, tokens, head_size)),
            ("key", _normal(generator, batch, key_heads, tokens, head_size)),
            ("position_ids", _places(generator, batch, tokens) + options.pop("start", 0)),
            ("rotary_size", rotary_size),
        ]
        if base:
            arguments.append(("base", base))
        return Case(title, part, tuple(arguments), **options)

    base = _one_of(generator, 30.0, 100.0, 700.0)
    return [
        case("part of each head turns", "core", 2, 2, 3, _one_of(generator, 8, 9), 6),
        case("another base, one token", "core", 3, 2, 1, 7, 4, base=base),
        case("a batch of one, transposed views", "core", 1, 3, 2, 10, 4, strided=True),
        case("the whole head turns", "core", 2, 1, 3, 6, 6, base=2 * base),
        case("fewer key heads than query heads", "grouped", 2, 3, 3, 7, 4, key_heads=1),
        case("gradients", "sound", 2, 1, 3, 7, 4, gradient=True),
        case("the whole text moved", "sound", 2, 2, 5, 9, 6, driver=drivers.moved),
        case("far away in bfloat16", "sound", 2, 3, 4, 9, 6, start=900, driver=drivers.in_bfloat16),
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


PARTIAL_ROTARY = Exercise(
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
    section=_ROTARY,
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
            section=_CONVENTIONS,
        ),
        Mistake(
            "ids_ignored",
            "`position_ids` is not used: the tokens are numbered 0, 1, 2, … from the left.",
            section=_MISTAKES,
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
            section=_MISTAKES,
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
            section=_CONVENTIONS,
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


# ---- Exercise 3: to_interleaved ----------------------------------------------------------------


def _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for name, tensor in state.items():
        heads = {"query": num_attention_heads, "key": num_key_value_heads}.get(name.split(".")[0])
        if heads:
            rows = tensor.unflatten(0, (heads, -1))
            part, rest = rows[:, :rotary_size], rows[:, rotary_size:]
            part = part.unflatten(1, (2, -1)).transpose(1, 2).flatten(1, 2)
            new[name] = torch.cat([part, rest], dim=1).flatten(0, 1)
    return new


def _order(head_size: int, rotary_size: int, made: Made) -> Tensor:
    """Say which row of a head comes where."""
    size = head_size - head_size % 2 if "whole_head" in made else rotary_size
    size = min(size, head_size)  # where rows were split into too many heads
    pairs = torch.arange(size)
    if "direction" in made:
        order = pairs.view(-1, 2).T.flatten()
    elif "partners_exchanged" in made:
        order = pairs.view(2, -1).flip(0).T.flatten()
    elif "mirrored" in made:
        order = torch.stack([pairs[: size // 2], pairs.flip(0)[: size // 2]], dim=-1).flatten()
    else:
        order = pairs.view(2, -1).T.flatten()
    if "last_part" in made:
        start = head_size - size
        return torch.cat([torch.arange(start), order + start])
    return torch.cat([order, torch.arange(size, head_size)])


def _conversion(made: Made) -> Callable:
    def implementation(state, num_attention_heads, num_key_value_heads, rotary_size):
        new = {}
        for name, tensor in state.items():
            layer, kind = name.split(".")
            heads = num_attention_heads if layer == "query" else num_key_value_heads
            if "query_heads_for_keys" in made:
                heads = num_attention_heads
            kept = (
                layer == "output"
                or (layer == "value" and "values_too" not in made)
                or (layer == "key" and "key_forgotten" in made)
                or (layer == "query" and "query_forgotten" in made)
                or (kind == "bias" and "bias_forgotten" in made)
            )
            if kept:
                if "rest_lost" not in made:
                    new[name] = tensor
                continue
            head_size = tensor.size(0) // heads
            order = _order(head_size, rotary_size, made)
            if "heads_inside" in made:
                rows = tensor.unflatten(0, (head_size, heads))
                new[name] = rows[order].flatten(0, 1)
            elif "not_by_head" in made:
                order = _order(tensor.size(0), tensor.size(0), made)
                new[name] = tensor[order]
            else:
                new[name] = tensor.unflatten(0, (heads, head_size))[:, order].flatten(0, 1)
        return new

    return implementation


def _conversion_cases(generator: torch.Generator) -> list[Case]:
    def draw(heads, key_heads, head_size, rotary_size, hidden, bias=False):
        rows = {"query": heads, "key": key_heads, "value": key_heads}
        state = {}
        for name, count in rows.items():
            state[f"{name}.weight"] = _normal(generator, count * head_size, hidden, size=0.6)
            if bias:
                state[f"{name}.bias"] = _normal(generator, count * head_size, size=0.6)
        state["output.weight"] = _normal(generator, hidden, heads * head_size, size=0.6)
        if bias:
            state["output.bias"] = _normal(generator, hidden, size=0.6)
        return (
            ("state", state),
            ("num_attention_heads", heads),
            ("num_key_value_heads", key_heads),
            ("rotary_size", rotary_size),
        )

    def law(title, part, heads, key_heads, head_size, bias=False):
        arguments = draw(heads, key_heads, head_size, head_size, 5, bias)
        more = (
            ("hidden_states", _normal(generator, 4, 5)),
            ("position_ids", _places(generator, 1, 4)[0]),
        )
        return Case(title, part, (*arguments, *more), driver=drivers.scores_of_weights)

    half = _one_of(generator, 3, 5)
    other = _one_of(generator, 10, 11)
    return [
        Case("as many key heads as query heads", "core", draw(2, 2, 2 * half, 2 * half, 3)),
        Case("fewer key heads", "core", draw(4, 2, 8, 8, 2), strided=True),
        Case("one head of each", "core", draw(1, 1, 6, 6, 3)),
        law("attention scores before and after", "core", 4, 2, 8),
        Case("with biases", "bias", draw(2, 1, 8, 8, 3, bias=True)),
        law("scores with biases before and after", "bias", 2, 1, 8, bias=True),
        Case("a part of each head", "partial", draw(2, 2, other, 6, 2)),
        Case("a larger part", "partial", draw(2, 2, 12, 8, 3)),
    ]


def _index_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {name: tensor.clone() for name, tensor in state.items()}
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        for kind in ("weight", "bias"):
            old = state.get(f"{layer}.{kind}")
            if old is None:
                continue
            head_size = len(old) // heads
            for head in range(heads):
                for i in range(rotary_size // 2):
                    start = head * head_size
                    new[f"{layer}.{kind}"][start + 2 * i] = old[start + i]
                    new[f"{layer}.{kind}"][start + 2 * i + 1] = old[start + i + rotary_size // 2]
    return new


def _matrix_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for layer, heads in (("query", num_attention_heads), ("key", num_key_value_heads)):
        rows = state[f"{layer}.weight"].shape[0]
        head_size = rows // heads
        order = list(range(head_size))
        order[0:rotary_size:2] = range(rotary_size // 2)
        order[1:rotary_size:2] = range(rotary_size // 2, rotary_size)
        matrix = torch.block_diag(*[torch.eye(head_size)[order]] * heads)
        for name in (f"{layer}.weight", f"{layer}.bias"):
            if name in new:
                new[name] = matrix @ new[name]
    return new


def _slice_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    def convert(tensor, heads):
        old = tensor.view(heads, tensor.size(0) // heads, -1)
        new = old.clone()
        new[:, 0:rotary_size:2] = old[:, : rotary_size // 2]
        new[:, 1:rotary_size:2] = old[:, rotary_size // 2 : rotary_size]
        return new.reshape(tensor.shape)

    heads = {"query": num_attention_heads, "key": num_key_value_heads}
    return {
        name: convert(tensor.contiguous(), heads[name[: name.index(".")]])
        if name.startswith(("query", "key"))
        else tensor
        for name, tensor in state.items()
    }


def _sorted_conversion(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {}
    for name, tensor in state.items():
        if name[0] in "qk":
            heads = num_attention_heads if name[0] == "q" else num_key_value_heads
            size = tensor.size(0) // heads
            row = torch.arange(tensor.size(0))
            place, half = row % size, rotary_size // 2
            turned = place < rotary_size
            target = torch.where(turned, 2 * (place % half) + place // half, place)
            tensor = tensor.index_select(0, (row - place + target).argsort())
        new[name] = tensor
    return new


def _columns(state, num_attention_heads, num_key_value_heads, rotary_size):
    """Reorder columns instead of rows, of weights; a bias has nothing but rows."""
    new = _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)
    for name in ("query.weight", "key.weight"):
        size = state[name].size(1) // 2 * 2
        new[name] = state[name][:, _order(state[name].size(1), size, frozenset())]
    return new


def _in_place_conversion(state, *rest):
    state.update(_to_interleaved(state, *rest))
    return state


def _copied_conversion(state, *rest):
    for name, tensor in _to_interleaved(state, *rest).items():
        state[name].copy_(tensor)
    return dict(state)


def _overwriting_loop(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = {name: tensor.clone() for name, tensor in state.items()}
    for name, rows in new.items():
        if name[0] in "qk":
            heads = num_attention_heads if name[0] == "q" else num_key_value_heads
            for start in range(0, rows.size(0), rows.size(0) // heads):
                for i in range(rotary_size // 2):
                    rows[start + 2 * i] = rows[start + i].clone()
                    rows[start + 2 * i + 1] = rows[start + i + rotary_size // 2].clone()
    return new


def _first_head_only(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = dict(state)
    for name, rows in state.items():
        if name[0] in "qk":
            new[name] = rows[_order(rows.size(0), rotary_size, frozenset())]
    return new


def _last_pair_left(state, num_attention_heads, num_key_value_heads, rotary_size):
    new = _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)
    for name, rows in new.items():
        if name[0] in "qk":
            heads = num_attention_heads if name[0] == "q" else num_key_value_heads
            size = rows.size(0) // heads
            last = [
                start + rotary_size - k for start in range(0, rows.size(0), size) for k in (1, 2)
            ]
            rows[last] = state[name][last]
    return new


def _as_many_key_heads(state, num_attention_heads, num_key_value_heads, rotary_size):
    if num_attention_heads != num_key_value_heads:
        raise IndexError("There are fewer rows of keys.")
    return _to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)


def _rest_first(state, heads, key_heads, rotary_size):
    new = _to_interleaved(state, heads, key_heads, rotary_size)
    for name, rows in new.items():
        if name[0] in "qk":
            by_head = rows.unflatten(0, (heads if name[0] == "q" else key_heads, -1))
            new[name] = by_head.roll(-rotary_size, dims=1).flatten(0, 1)
    return new


def _needs_bias(state, *rest):
    for layer in ("query", "key"):
        state[f"{layer}.bias"]
    return _to_interleaved(state, *rest)


TO_INTERLEAVED = Exercise(
    id="to_interleaved",
    title="Weights for the other convention",
    signature="to_interleaved(state, num_attention_heads, num_key_value_heads, rotary_size)",
    reference=_to_interleaved,
    cases=_conversion_cases,
    parts=(
        Part("core", "the weights of queries and keys", 2),
        Part("bias", "their biases", 1),
        Part("partial", "heads of which only a part turns", 1),
    ),
    minutes=20,
    difficulty=3,
    section=_CONVENTIONS,
    variant=_conversion,
    alternatives={
        "step by step": _conversion(frozenset()),
        "row by row": _index_conversion,
        "permutation matrices": _matrix_conversion,
        "slices": _slice_conversion,
        "sorted targets": _sorted_conversion,
    },
    mistakes=(
        Mistake(
            "direction",
            "This is the way back, from interleaved to half-split. Here the rows come from the two "
            "halves and go to neighbouring places: row i to 2i, row i + rotary_size/2 to 2i + 1.",
        ),
        Mistake(
            "not_by_head",
            "The rows are reordered across all heads at once; each head has its own halves.",
        ),
        Mistake(
            "heads_inside",
            "The rows are split as [head_size, heads]; the heads lie one after the other, "
            "[heads, head_size].",
            _conversion(frozenset({"heads_inside"})),
        ),
        Mistake(
            "query_heads_for_keys",
            "The rows of the keys are split by the number of query heads; keys have "
            "`num_key_value_heads`.",
        ),
        Mistake(
            "key_heads_for_queries",
            "The rows of the queries are split by the number of key heads; queries have "
            "`num_attention_heads`.",
            lambda state, heads, key_heads, size: _to_interleaved(
                state, key_heads, key_heads, size
            ),
        ),
        Mistake(
            "as_many_key_heads",
            "It fails where keys have fewer heads than queries: split the rows of the keys by "
            "`num_key_value_heads`.",
            _as_many_key_heads,
            any_error=True,
        ),
        Mistake(
            "rest_first",
            "Where only a part of each head turns, the rows that are not turned come first; they "
            "stay behind the reordered ones.",
            _rest_first,
            points=3,
        ),
        Mistake(
            "partners_exchanged",
            "The two partners of each pair are exchanged: the number of the first half comes "
            "first, the one of the second half after it.",
        ),
        Mistake(
            "mirrored",
            "The second half was taken backwards: row i was paired with row rotary_size − 1 − i; "
            "its partner is row i + rotary_size/2.",
            _conversion(frozenset({"mirrored"})),
        ),
        Mistake("key_forgotten", "The keys are as they were; reorder them like the queries."),
        Mistake("query_forgotten", "The queries are as they were; reorder them like the keys."),
        Mistake(
            "values_too",
            "The values are reordered, too. They are not turned, and what is built on them expects "
            "the old order.",
            section="“In attention: query and key, not value” in chapter 5",
        ),
        Mistake(
            "rest_lost",
            "Only what was reordered comes back; values and output must be in the new dictionary, "
            "unchanged.",
            _conversion(frozenset({"rest_lost"})),
        ),
        Mistake(
            "bias_forgotten",
            "The biases of queries and keys are as they were. A bias is added to the rows' "
            "results, so it needs the same new order.",
            points=3,
        ),
        Mistake(
            "whole_head",
            "All rows of each head are reordered; only the first `rotary_size` rows are turned, "
            "the others must stay where they are.",
            points=3,
        ),
        Mistake(
            "last_part",
            "The last `rotary_size` rows of each head are reordered; the first ones are turned.",
            points=3,
        ),
        Mistake(
            "columns",
            "The columns of the weights are reordered; they belong to the hidden state that comes "
            "in. A head's numbers are rows.",
            _columns,
        ),
        Mistake(
            "nothing",
            "All weights came back as they were given; nothing is reordered.",
            lambda state, *rest: dict(state),
        ),
        Mistake(
            "transposed",
            "The reordered weights came back transposed; keep [rows, hidden_size].",
            lambda state, *rest: {
                name: tensor.T.contiguous() if name in ("query.weight", "key.weight") else tensor
                for name, tensor in _to_interleaved(state, *rest).items()
            },
        ),
        Mistake(
            "output_too",
            "The columns of the output projection are reordered, too. They belong to the values, "
            "which keep their order.",
            lambda state, heads, *rest: {
                **_to_interleaved(state, heads, *rest),
                "output.weight": _to_interleaved(
                    {"query.weight": state["output.weight"].T}, heads, *rest
                )["query.weight"].T.contiguous(),
            },
        ),
        Mistake(
            "split_by_head",
            "The weights came back split by head, with one dimension more; join the heads again.",
            lambda state, heads, key_heads, size: {
                name: tensor.unflatten(0, (heads if name[0] == "q" else key_heads, -1))
                if name[0] in "qk"
                else tensor
                for name, tensor in _to_interleaved(state, heads, key_heads, size).items()
            },
        ),
        Mistake(
            "overwriting_loop",
            "The rows are moved within one and the same tensor, so some are overwritten before "
            "they are read. Read from the old weights, write to the new ones.",
            _overwriting_loop,
        ),
        Mistake(
            "first_head_only",
            "Only the first `rotary_size` rows of the whole matrix are reordered, which is the "
            "first head; every head has such rows.",
            _first_head_only,
        ),
        Mistake(
            "last_pair_left",
            "The last pair of each head is not moved: there are rotary_size/2 pairs.",
            _last_pair_left,
        ),
        Mistake(
            "needs_bias",
            "It asks for a name that `state` does not have, such as that of a bias where there are "
            "none; look which names there are.",
            _needs_bias,
        ),
        Mistake(
            "in_place",
            "The new weights are right, but `state` itself was changed: make a new dictionary, "
            "and new tensors.",
            _in_place_conversion,
            same_results=(_copied_conversion,),
        ),
        Mistake(
            "bias_reversed",
            "The weights are right, but the biases were reordered in the wrong direction.",
            lambda state, *rest: {
                name: (
                    _conversion(frozenset({"direction"})) if "bias" in name else _to_interleaved
                )(state, *rest)[name]
                for name in state
            },
            points=3,
        ),
        Mistake(
            "partial_split_of_head",
            "Row i was paired with row i + head_size/2; where only a part turns, its partner is "
            "row i + rotary_size/2.",
            lambda state, heads, key_heads, size: _half_head_partners(
                state, heads, key_heads, size
            ),
            points=3,
        ),
        Mistake(
            "partial_rest_lost",
            "Where only a part of each head turns, the other rows are missing; they stay behind "
            "the reordered ones.",
            lambda state, heads, key_heads, size: {
                name: tensor.unflatten(0, (heads if name[0] == "q" else key_heads, -1))[
                    :, :size
                ].flatten(0, 1)
                if name[0] in "qk"
                else tensor
                for name, tensor in _to_interleaved(state, heads, key_heads, size).items()
            },
            points=3,
        ),
    ),
)


def _half_head_partners(state, heads, key_heads, rotary_size):
    new = _to_interleaved(state, heads, key_heads, rotary_size)
    for name, tensor in state.items():
        if name[0] in "qk":
            rows = tensor.unflatten(0, (heads if name[0] == "q" else key_heads, -1))
            head_size, pairs = rows.size(1), rotary_size // 2
            partners = torch.arange(pairs) + head_size // 2
            order = torch.stack([torch.arange(pairs), partners], dim=-1).flatten().tolist()
            order += [row for row in range(head_size) if row not in order]
            new[name] = rows[:, order].flatten(0, 1)
    return new


# ---- Exercise 4: alibi_mask --------------------------------------------------------------------


def _alibi_mask(num_attention_heads, queries, keys, causal=True):
    places = torch.arange(keys)[None]
    bias = alibi_bias(num_attention_heads, places[:, keys - queries :], places)[0]
    if not causal:
        return bias
    return bias.masked_fill(places > places[0, keys - queries :, None], -math.inf)


def _powers(count: int, first: float = 1.0) -> list[float]:
    """The slopes of ``count`` heads by the paper's formula."""
    return [2.0 ** (-8 * (i + first) / count) for i in range(count)]


def _slopes(heads: int, made: Made) -> Tensor:
    power = 2 ** int(math.log2(heads))
    more = heads - power
    if "slopes_inverted" in made:
        return 2.0 ** (-8 / torch.arange(1, heads + 1))
    if "slopes_without_eight" in made:
        return torch.tensor(_powers(power) + _powers(2 * power)[0::2])[:heads] ** (1 / 8)
    if "slopes_by_formula" in made:
        return torch.tensor(_powers(heads, 0 if "exponent_from_zero" in made else 1))
    if "slopes_of_next_power" in made and more:
        return torch.tensor(_powers(2 * power)[:heads])
    if "exponent_from_zero" in made:
        slopes, between = _powers(power, 0), _powers(2 * power, 0)[0::2]
    else:
        slopes, between = _powers(power), _powers(2 * power)[0::2]
    if "between_in_order" in made:
        between = _powers(2 * power)
    if "between_even" in made:
        between = _powers(2 * power)[1::2]
    if "halves" in made:
        slopes = [2.0**-h for h in range(1, power + 1)]
    between = between[:more]
    slopes = torch.tensor(between + slopes if "between_first" in made else slopes + between)
    if "slopes_sorted" in made:
        slopes = slopes.sort(descending=True).values
    return slopes


def _alibi(made: Made) -> Callable:
    def implementation(num_attention_heads, queries, keys, causal=True):
        slopes = _slopes(num_attention_heads, made)
        if "slopes_backwards" in made:
            slopes = slopes.flip(0)
        offset = 0 if "no_offset" in made else keys - queries
        apart = torch.arange(queries)[:, None] + offset - torch.arange(keys)[None]
        distance = (
            apart
            if "signed" in made
            else apart.clamp(min=0)
            if "future_free" in made
            else apart.abs()
        )
        if "no_distance" in made:
            distance = (apart != 0).long()
        bias = slopes[:, None, None] * distance * (1 if "sign" in made else -1)
        if "no_causal" in made or not (causal or "always_causal" in made):
            return bias
        first_hidden = -1 if "peeks" in made else 0 if "own_hidden" not in made else 1
        hidden = apart < first_hidden
        fill = -1e9 if "finite" in made else -math.inf
        return bias.masked_fill(hidden, fill)

    return implementation


def _alibi_cases(generator: torch.Generator) -> list[Case]:
    names = ("num_attention_heads", "queries", "keys", "causal")

    def case(title, part, *values):
        return Case(title, part, tuple(zip(names, values, strict=False)))

    keys = _one_of(generator, 6, 7, 9)
    return [
        case("queries after a cache", "core", _one_of(generator, 2, 4), 3, keys),
        case("as many queries as keys", "core", 4, 5, 5),
        case("one new token", "core", _one_of(generator, 4, 8), 1, keys + 1),
        case("eight heads, causal=True", "core", 8, 2, 5, True),
        case("one head", "heads", 1, 2, 3),
        case("a number of heads between", "heads", _one_of(generator, 5, 6, 7), 2, 3),
        case("twelve heads, as in BERT-base", "heads", 12, 2, 4),
        case("both sides, after a cache", "sides", 2, 3, keys, False),
    ]


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


def _by_place(change: Callable[[Tensor, Tensor, Tensor], Tensor]) -> Callable:
    """Make a causal implementation of slopes, query places and key places."""

    def implementation(num_attention_heads, queries, keys, causal=True):
        slopes = alibi_slopes(num_attention_heads)[:, None, None]
        query = torch.arange(keys - queries, keys)[:, None]
        key = torch.arange(keys)[None]
        bias = change(slopes, query, key)
        return bias.masked_fill(key > query, -math.inf) if causal else bias

    return implementation


def _triangle_above(num_attention_heads, queries, keys, causal=True):
    bias = _alibi_mask(num_attention_heads, queries, keys, False)
    shown = torch.ones(queries, keys, dtype=torch.bool).tril()
    return bias.masked_fill(~shown, -math.inf) if causal else bias


def _powers_of_two_only(num_attention_heads, queries, keys, causal=True):
    if num_attention_heads & (num_attention_heads - 1):
        raise ValueError("The number of heads must be a power of two.")
    return _alibi_mask(num_attention_heads, queries, keys, causal)


def _shifted_queries(places: int) -> Callable:
    def implementation(num_attention_heads, queries, keys, causal=True):
        slopes = alibi_slopes(num_attention_heads)[:, None, None]
        first = keys - queries + places
        apart = torch.arange(first, first + queries)[:, None] - torch.arange(keys)
        bias = -slopes * apart.abs()
        return bias.masked_fill(apart < 0, -math.inf) if causal else bias

    return implementation


def _sees_future_only(num_attention_heads, queries, keys, causal=True):
    bias = _alibi_mask(num_attention_heads, queries, keys, False)
    past = torch.ones(queries, keys, dtype=torch.bool).tril(keys - queries - 1)
    return bias.masked_fill(past, -math.inf) if causal else bias


ALIBI_MASK = Exercise(
    id="alibi_mask",
    title="A penalty for few queries and many keys",
    signature="alibi_mask(num_attention_heads, queries, keys, causal=True)",
    reference=_alibi_mask,
    cases=_alibi_cases,
    parts=(
        Part("core", "the causal mask for queries after a cache", 2),
        Part("heads", "any number of heads", 1),
        Part("sides", "both sides, for an encoder", 1),
    ),
    minutes=20,
    difficulty=2,
    section=_ALIBI,
    variant=_alibi,
    alternatives={
        "step by step": _alibi(frozenset()),
        "loop, with the paper's own recursion": _loop_alibi,
        "the last rows of the square, in float64": _whole_alibi,
        "windows of a line": _toeplitz_alibi,
        "bias by place": _by_place(lambda slopes, q, k: torch.minimum(q - k, k - q) * slopes),
    },
    mistakes=(
        Mistake(
            "no_offset",
            "The queries are numbered from 0; they are the *last* of the keys, so the first one "
            "stands at keys − queries.",
            section=_MISTAKES,
        ),
        Mistake(
            "sign",
            "The bias is positive, so that far keys are preferred; subtract the distance.",
        ),
        Mistake(
            "exponent_from_zero",
            "The heads are counted from 0 in the exponent, so the first slope is 1; it is "
            "2^(−8/H).",
        ),
        Mistake(
            "slopes_inverted",
            "The exponent is −8/h, so the slopes grow from head to head; it is −8h/H.",
            _alibi(frozenset({"slopes_inverted"})),
        ),
        Mistake(
            "slopes_without_eight",
            "The exponent lacks its factor of 8: the slopes are 2^(−h/H), and they must be "
            "2^(−8h/H).",
            _alibi(frozenset({"slopes_without_eight"})),
        ),
        Mistake(
            "no_distance",
            "Every other key has the same penalty, the slope; it is the slope times the distance.",
            _alibi(frozenset({"no_distance"})),
        ),
        Mistake("slopes_backwards", "The slopes are in reverse order: head 1 has the steepest."),
        Mistake(
            "no_causal",
            "Keys after the query are not hidden; with `causal=True` they are −∞.",
        ),
        Mistake(
            "peeks",
            "Each query sees one key too many, the one right after it.",
        ),
        Mistake(
            "own_hidden",
            "A query does not see its own token; only keys after it are hidden.",
        ),
        Mistake(
            "finite",
            "Keys after the query have a large negative number, not −∞.",
        ),
        Mistake(
            "slopes_by_formula",
            "The formula 2^(−8h/H) is used for a number of heads that is no power of two. Take the "
            "slopes of the next smaller power, and then every second one of twice that power.",
            points=3,
        ),
        Mistake(
            "slopes_of_next_power",
            "Where the number of heads is no power of two, the slopes are the first ones of the "
            "next larger power. Begin with all those of the next smaller power.",
            points=3,
        ),
        Mistake(
            "between_in_order",
            "The additional slopes are the first ones of twice the power; take every second of "
            "them, the 1st, 3rd, 5th, …: the others are there already.",
            _alibi(frozenset({"between_in_order"})),
            points=3,
        ),
        Mistake(
            "between_even",
            "The additional slopes are the 2nd, 4th, … of twice the power, which are there "
            "already; take the 1st, 3rd, ….",
            _alibi(frozenset({"between_even"})),
            points=3,
        ),
        Mistake(
            "between_first",
            "The additional slopes come before those of the next smaller power; they come after "
            "them.",
            _alibi(frozenset({"between_first"})),
            points=3,
        ),
        Mistake(
            "slopes_halved",
            "The slopes of a power of two are 1/2, 1/4, 1/8, … for any number of heads; those are "
            "the slopes of eight heads. The exponent is −8h/H.",
            _alibi(frozenset({"halves"})),
        ),
        Mistake(
            "no_penalty",
            "Later keys are hidden, but there is no penalty: every key that is seen has 0. It "
            "should be minus slope times distance.",
            _by_place(lambda slopes, query, key: 0.0 * slopes * (query - key)),
        ),
        Mistake(
            "keys_from_the_end",
            "The keys are counted from the last one backwards; the first key stands at 0.",
            lambda *arguments: _alibi_mask(*arguments).flip(-1),
        ),
        Mistake(
            "float64",
            "The numbers are right, but float64; the mask is to be float32.",
            lambda *arguments: _alibi_mask(*arguments).double(),
        ),
        Mistake(
            "slopes_sorted",
            "The slopes are right but sorted; the additional ones come after all others.",
            _alibi(frozenset({"slopes_sorted"})),
            points=3,
        ),
        Mistake(
            "signed",
            "With `causal=False`, keys after the query get a bonus instead of a penalty: the "
            "distance needs its absolute value.",
            points=3,
        ),
        Mistake(
            "future_free",
            "With `causal=False`, keys after the query have no penalty at all; their distance "
            "counts like that of keys before it.",
            _alibi(frozenset({"future_free"})),
            points=3,
        ),
        Mistake(
            "always_causal",
            "Keys after the query are hidden with `causal=False`, too.",
            _alibi(frozenset({"always_causal"})),
            points=3,
        ),
        Mistake(
            "key_places",
            "The bias is slope times key position, as BLOOM has it. After the softmax of a decoder "
            "that is the same, but here the bias itself is asked for, minus slope times distance.",
            _by_place(lambda slopes, query, key: slopes * (key + 0 * query)),
        ),
        Mistake(
            "query_places",
            "The penalty depends on the query's position alone, one number along each row, which "
            "the softmax does not notice; it must be the distance to the key.",
            _by_place(lambda slopes, query, key: -slopes * (query + 0 * key)),
        ),
        Mistake(
            "squared",
            "The distance is squared; the penalty is linear.",
            _by_place(lambda slopes, query, key: -slopes * (query - key) ** 2),
        ),
        Mistake(
            "no_slopes",
            "These are the distances without the slopes: all heads are the same.",
            _by_place(lambda slopes, query, key: -(slopes / slopes) * (query - key).abs()),
        ),
        Mistake(
            "divided_by_slope",
            "The distances are divided by the slopes; multiply.",
            _by_place(lambda slopes, query, key: -(query - key).abs() / slopes),
        ),
        Mistake(
            "slopes_base_e",
            "The slopes are powers of e; they are powers of 2.",
            _by_place(lambda slopes, q, k: -(slopes.log2().exp()) * (q - k).abs()),
        ),
        Mistake(
            "first_slope_for_all",
            "All heads have the slope of the first one.",
            _by_place(lambda slopes, q, k: -(slopes * 0 + slopes[:1]) * (q - k).abs()),
        ),
        Mistake(
            "one_off",
            "All distances are one too large: a token's distance to itself is 0.",
            _by_place(lambda slopes, query, key: -slopes * ((query - key).abs() + 1)),
        ),
        Mistake(
            "one_short",
            "The queries stand one place too early: the last query is the last key, so the first "
            "one stands at keys − queries.",
            _shifted_queries(-1),
        ),
        Mistake(
            "one_far",
            "The queries stand one place too late: the last query is the last key, so the first "
            "one stands at keys − queries.",
            _shifted_queries(1),
        ),
        Mistake(
            "lowest_number",
            "Keys after the query have the lowest number of float32; the mask should have −∞ "
            "there.",
            lambda *arguments: _alibi_mask(*arguments).clamp(min=torch.finfo(torch.float32).min),
        ),
        Mistake(
            "zero_times_infinity",
            "A triangle of 0 and 1 was multiplied by −∞, and 0 · ∞ is NaN. Use `masked_fill` or "
            "`torch.where`.",
            lambda heads, queries, keys, causal=True: (
                _alibi_mask(heads, queries, keys, False)
                + (torch.ones(queries, keys).triu(keys - queries + 1) * -math.inf if causal else 0)
            ),
        ),
        Mistake(
            "slopes_of_eight",
            "The slopes are 1/2, 1/4, 1/8, … for any number of heads; those are the slopes of "
            "eight heads. The exponent is −8h/H.",
            lambda heads, *rest: (
                _alibi_mask(heads, *rest)
                / alibi_slopes(heads)[:, None, None]
                * 2.0 ** -torch.arange(1, heads + 1)[:, None, None]
            ),
        ),
        Mistake(
            "triangle_from_the_top",
            "The bias is right, but the triangle that hides later keys is that of a square matrix "
            "(`tril()` without `diagonal`): cached keys are hidden.",
            _triangle_above,
            section=_MISTAKES,
        ),
        Mistake(
            "triangle_turned",
            "The triangle is the wrong way round: the keys before the query are hidden.",
            _sees_future_only,
        ),
        Mistake(
            "causal_inverted",
            "`causal` is used the wrong way round.",
            lambda heads, queries, keys, causal=True: _alibi_mask(heads, queries, keys, not causal),
        ),
        Mistake(
            "transposed",
            "The last two axes are exchanged; the result is [heads, queries, keys].",
            lambda *arguments: _alibi_mask(*arguments).transpose(-2, -1),
        ),
        Mistake(
            "with_batch_axis",
            "There is a batch axis too many; the result is [heads, queries, keys].",
            lambda *arguments: _alibi_mask(*arguments)[None],
        ),
        Mistake(
            "no_head_axis",
            "There is no axis for the heads: each head has a slope, and so a matrix, of its own.",
            lambda *arguments: _alibi_mask(*arguments)[0],
        ),
        Mistake(
            "exponentials",
            "This is e to the power of the bias; it is added to scores, before the softmax.",
            lambda *arguments: _alibi_mask(*arguments).exp(),
        ),
        Mistake(
            "zeroed",
            "Hidden keys have the bias 0, so they are preferred to all others; they need −∞.",
            lambda *arguments: _alibi_mask(*arguments).masked_fill(
                _alibi_mask(*arguments) == -math.inf, 0.0
            ),
        ),
        Mistake(
            "crash_on_other_heads",
            "It fails for a number of heads that is no power of two.",
            _powers_of_two_only,
            points=3,
            any_error=True,
        ),
    ),
)


# ---- Exercise 5: next_position_ids -------------------------------------------------------------


def _next_position_ids(attention_mask, new_tokens):
    ids = position_ids_of(attention_mask).masked_fill(attention_mask == 0, 0)
    return ids[:, attention_mask.size(1) - new_tokens :]


def _counted(made: Made) -> Callable:
    def implementation(attention_mask, new_tokens):
        mask = attention_mask.long()
        cached = mask.size(1) - new_tokens
        if "new_only" in made:
            mask, cached = mask[:, cached:], 0
        if "first_row" in made:
            mask = mask[:1].expand_as(mask)
        if "from_the_end" in made:
            ids = mask.flip(-1).cumsum(-1).flip(-1)
        elif "over_batch" in made:
            ids = mask.cumsum(0)
        elif "before" in made:
            ids = mask.cumsum(-1) - mask + 1
        else:
            ids = mask.cumsum(-1)
        if "from_one" not in made:
            ids = ids - 1
        hidden = mask == 0
        if "padding_minus_one" in made:
            ids = ids.masked_fill(hidden, -1)
        elif "padding_one" in made:
            ids = ids.masked_fill(hidden, 1)
        elif "padding_kept" in made:
            ids = ids.clamp(min=0)
        elif "padding_untouched" not in made:
            ids = ids.masked_fill(hidden, 0)
        if "first_columns" in made:
            ids = ids[:, :new_tokens]
        elif "all_columns" not in made:
            ids = ids[:, cached:]
        return ids.float() if "floating" in made else ids

    return implementation


def _mask_of(generator: torch.Generator, rows: list[str]) -> Tensor:
    """Rows such as ``"..xx|x"``: x is a token, a dot is padding, the bar is for the reader."""
    return torch.tensor([[int(letter == "x") for letter in row if letter != "|"] for row in rows])


def _counted_cases(generator: torch.Generator) -> list[Case]:
    def left(batch, columns):
        """Padding on the left of all but one row, of different lengths."""
        lengths = torch.randperm(columns - 1, generator=generator)[:batch] + 1
        lengths[int(torch.randint(batch, (), generator=generator))] = 0
        return (torch.arange(columns) >= lengths.unsqueeze(1)).long()

    def case(title, part, mask, new_tokens):
        return Case(title, part, (("attention_mask", mask), ("new_tokens", new_tokens)))

    def rows(*patterns):
        order = torch.randperm(len(patterns), generator=generator).tolist()
        return _mask_of(generator, [patterns[place] for place in order])

    def after(cached, new_tokens):
        return torch.cat([cached, torch.ones(cached.size(0), new_tokens, dtype=torch.long)], dim=1)

    return [
        case("one new token after a cache, padding on the left", "core", after(left(4, 6), 1), 1),
        case("three new tokens", "core", after(left(2, 5), 3), 3),
        case(
            "padding between cache and new tokens",
            "core",
            rows("xx...|xx", "xxxx.|xx", "x....|xx"),
            2,
        ),
        case("a batch of one, nothing padded", "core", torch.ones(1, 7, dtype=torch.long), 2),
        case("nothing cached, nothing padded", "core", torch.ones(2, 4, dtype=torch.long), 4),
        case("nothing cached, padding on the left", "padding", left(3, 6), 6),
        case(
            "padding on the right of the new tokens",
            "padding",
            rows("..xx|xx..", ".xxx|xxx.", "xxxx|x..."),
            4,
        ),
        case(
            "nothing cached, padding on both sides", "padding", rows(".xxx.", "..xx.", "xx..."), 5
        ),
        case("nothing but padding in one row", "padding", rows("....", ".xxx", "xxxx"), 4),
        case("a boolean mask", "padding", rows("...x|xx", ".xxx|x.").bool(), 2),
    ]


def _loop_counted(attention_mask, new_tokens):
    rows = []
    for row in attention_mask.tolist():
        ids, seen = [], 0
        for token in row:
            ids.append(seen if token else 0)
            seen += bool(token)
        rows.append(ids[len(ids) - new_tokens :])
    return torch.tensor(rows)


def _triangle_counted(attention_mask, new_tokens):
    mask = attention_mask.float()
    before = torch.ones(mask.size(1), mask.size(1)).triu(1)
    return ((mask @ before) * mask).long()[:, -new_tokens:]


def _two_pieces(attention_mask, new_tokens):
    cached, new = attention_mask.int().split(
        [attention_mask.size(1) - new_tokens, new_tokens], dim=1
    )
    ids = cached.sum(-1, keepdim=True) + new.cumsum(-1) - 1
    return torch.where(new.bool(), ids, 0)


def _nonzero_counted(attention_mask, new_tokens):
    ids = torch.zeros(attention_mask.shape, dtype=torch.int64)
    for b, row in enumerate(attention_mask):
        places = row.nonzero().squeeze(-1)
        ids[b, places] = torch.arange(len(places))
    return ids.narrow(1, ids.size(1) - new_tokens, new_tokens)


def _whole_numbers_only(attention_mask, new_tokens):
    ids = (attention_mask.cumsum(-1) - 1).masked_fill(1 - attention_mask == 1, 0)
    return ids[:, -new_tokens:]


def _columns_counted(attention_mask, new_tokens):
    cached = attention_mask.size(1) - new_tokens
    return torch.arange(cached, cached + new_tokens).expand(attention_mask.size(0), -1)


NEXT_POSITION_IDS = Exercise(
    id="next_position_ids",
    title="Where does the next token stand?",
    signature="next_position_ids(attention_mask, new_tokens)",
    reference=_next_position_ids,
    cases=_counted_cases,
    parts=(
        Part("core", "the positions of new tokens after a padded cache", 2),
        Part("padding", "padding has position 0, wherever it stands", 1),
    ),
    minutes=10,
    difficulty=1,
    section=_PADDED,
    variant=_counted,
    alternatives={
        "step by step": _counted(frozenset()),
        "loop": _loop_counted,
        "a triangle": _triangle_counted,
        "cache and new tokens apart": _two_pieces,
        "indices of tokens": _nonzero_counted,
    },
    mistakes=(
        Mistake(
            "from_one",
            "The first real token has position 1; positions are counted from 0.",
        ),
        Mistake(
            "new_only",
            "Only the new columns of the mask are counted, so each call starts again at 0: the "
            "tokens in the cache are forgotten.",
            section=_MISTAKES,
        ),
        Mistake(
            "first_columns",
            "These are the positions of the first columns; the new tokens are the last ones.",
        ),
        Mistake("all_columns", "All columns came back; asked for are those of the new tokens."),
        Mistake(
            "first_row",
            "Every sentence gets the positions of the first one.",
            _counted(frozenset({"first_row"})),
        ),
        Mistake(
            "from_the_end",
            "The tokens are counted from the end; the first token has position 0.",
            _counted(frozenset({"from_the_end"})),
        ),
        Mistake(
            "over_batch",
            "The running sum goes over the batch (`dim=0`); it must go along each row, `dim=-1`.",
        ),
        Mistake(
            "padding_minus_one",
            "Padding has position −1, which is no row of any table; it must be 0.",
            points=2,
        ),
        Mistake(
            "padding_one",
            "Padding has position 1, as in some of Hugging Face's code; here it must be 0.",
            points=2,
        ),
        Mistake(
            "padding_kept",
            "Padding *after* a token has that token's position (`clamp` sees only what is below "
            "0); it must be 0 everywhere.",
            points=2,
        ),
        Mistake(
            "padding_untouched",
            "The running sum minus one is returned as it is: padding has −1 before the first token "
            "and the last token's position after it; it must be 0.",
            points=2,
        ),
        Mistake(
            "before",
            "Real tokens are right, but padding has the position of the token that comes next; it "
            "must be 0.",
            _counted(frozenset({"before", "padding_untouched"})),
            points=2,
        ),
        Mistake(
            "floating",
            "Positions must be whole numbers (int64): they are used as indices of a table.",
            _counted(frozenset({"floating"})),
        ),
        Mistake(
            "columns",
            "These are the numbers of the columns. Padding on the left counts as if it were "
            "tokens; count only where the mask is 1.",
            _columns_counted,
        ),
        Mistake(
            "columns_zeroed",
            "These are the numbers of the columns, with padding set to 0. Padding on the left "
            "still pushes the tokens to the right; count only where the mask is 1.",
            lambda mask, new: _columns_counted(mask, new) * mask[:, mask.size(1) - new :].long(),
        ),
        Mistake(
            "from_zero",
            "The new tokens are numbered 0, 1, 2, …, as if nothing stood before them.",
            lambda mask, new: torch.arange(new).expand(mask.size(0), -1),
            section=_MISTAKES,
        ),
        Mistake(
            "real_tokens_minus_new",
            "The new columns are numbered one after the other so that the last one has the last "
            "token's position, as if all of them held tokens; padding among them makes it wrong.",
            lambda mask, new: mask.sum(-1, keepdim=True) - new + torch.arange(new),
            points=2,
        ),
        Mistake(
            "cached_plus_columns",
            "The number of cached tokens is right, but the new columns are numbered one after the "
            "other, padding or not; count only where the mask is 1.",
            lambda mask, new: (
                mask[:, : mask.size(1) - new].sum(-1, keepdim=True) + torch.arange(new)
            ),
            points=2,
        ),
        Mistake(
            "real_tokens_minus_new_clamped",
            "The columns are numbered one after the other and the row's padding is subtracted, "
            "with nothing below 0. Padding after a token makes that wrong, and gets no 0 itself.",
            lambda mask, new: (mask.sum(-1, keepdim=True) - new + torch.arange(new)).clamp(min=0),
            points=2,
        ),
        Mistake(
            "after_the_first_token",
            "The columns are counted from the first real token on, so padding that comes after it "
            "is counted as well.",
            lambda mask, new: (
                torch.arange(mask.size(1)) - mask.int().argmax(-1, keepdim=True)
            ).clamp(min=0)[:, mask.size(1) - new :],
        ),
        Mistake(
            "after_the_first_token_zeroed",
            "The columns are counted from the first real token on, so padding that comes after it "
            "is counted as well, though it gets 0 itself.",
            lambda mask, new: (
                (torch.arange(mask.size(1)) - mask.int().argmax(-1, keepdim=True)) * mask
            )[:, mask.size(1) - new :],
        ),
        Mistake(
            "last_for_all",
            "All new tokens of a row get one position, that of its last token. Count along the row "
            "(`cumsum`) instead of adding it up (`sum`).",
            lambda mask, new: (
                (mask.long().sum(-1, keepdim=True) - 1) * mask[:, mask.size(1) - new :].long()
            ),
        ),
        Mistake(
            "one_too_low",
            "The positions are one too low: the running sum counts a token itself, so subtract 1, "
            "and no more.",
            lambda mask, new: (_next_position_ids(mask, new) - 1).clamp(min=0),
        ),
        Mistake(
            "cached_columns",
            "All columns of the cache are counted as tokens, its padding as well.",
            lambda mask, new: torch.where(
                mask[:, mask.size(1) - new :].bool(),
                mask.size(1) - new + mask[:, mask.size(1) - new :].long().cumsum(-1) - 1,
                0,
            ),
        ),
        Mistake(
            "longest_row",
            "All sentences continue after the longest one; each has its own number of tokens.",
            lambda mask, new: (
                mask[:, : mask.size(1) - new].sum(-1).max() + torch.arange(new)
            ).expand(mask.size(0), -1),
        ),
        Mistake(
            "padding_counted",
            "The padding is counted instead of the tokens: the mask is used the wrong way round.",
            lambda mask, new: _next_position_ids(1 - mask.long(), new),
        ),
        Mistake(
            "int32",
            "The numbers are right, but int32; ids are int64 (`long`).",
            lambda mask, new: _next_position_ids(mask, new).int(),
        ),
        Mistake(
            "boolean_fails",
            "It fails on a mask of booleans; convert the mask first, `attention_mask.long()`.",
            _whole_numbers_only,
            points=2,
            any_error=True,
        ),
        Mistake(
            "in_place",
            "The numbers are right, but `attention_mask` itself was changed.",
            lambda mask, new: mask.copy_((mask.long().cumsum(-1) - 1).masked_fill(~mask.bool(), 0))[
                :, mask.size(1) - new :
            ].long(),
        ),
    ),
)


EXERCISES = [
    REPAIRED_POSITIONS,
    PARTIAL_ROTARY,
    TO_INTERLEAVED,
    ALIBI_MASK,
    NEXT_POSITION_IDS,
]
