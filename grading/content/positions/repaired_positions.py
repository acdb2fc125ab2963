"""Bug hunt: waves that say nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import torch
from torch import Tensor

from grading.content.drawing import one_of
from grading.content.positions.sections import FACTOR, MISTAKES, SINUSOIDS
from grading.content.positions.shared import Made, draw_position_ids, normal
from grading.exercise import Case, Exercise, Mistake, Part
from solutions.positions import (
    SinusoidalPositions,
)


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
        arguments = [("embeddings", normal(generator, batch, tokens, size, size=0.7))]
        drawn = draw_position_ids(generator, batch, tokens)
        arguments.append(("position_ids", drawn if places is None else places))
        if base:
            arguments.append(("base", base))
        return Case(title, part, tuple(arguments), **options)

    near = draw_position_ids(generator, 1, 4)
    far = torch.cat([near, near + 500])
    base = one_of(generator, 20.0, 50.0, 300.0)
    return [
        case("positions with gaps, other ones in each row", "core", 3, 5, 6),
        case("two rows 500 apart", "core", 2, 4, 6, places=far),
        case("one token in a batch of one", "core", 1, 1, one_of(generator, 8, 10)),
        case("gradients", "core", 2, 3, 4, gradient=True),
        case("another base, transposed views", "base", 3, 2, 8, base, strided=True),
        case("an odd size", "odd", 2, 3, one_of(generator, 5, 7)),
        case("a larger odd size", "odd", 2, 3, one_of(generator, 9, 11)),
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
            section={"scaled_sum": FACTOR, "base_fixed": SINUSOIDS}.get(name, MISTAKES),
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


EXERCISE = Exercise(
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
    section=SINUSOIDS,
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
            section=MISTAKES,
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
            section=FACTOR,
        ),
        Mistake(
            "scale_divided",
            "The embeddings are divided by √d; they must be multiplied by it.",
            _on_waves(lambda x, waves, root: x / root + waves),
            section=FACTOR,
        ),
        Mistake(
            "scale_d",
            "The embeddings are multiplied by d itself; the factor is its root.",
            _on_waves(lambda x, waves, root: x * root**2 + waves),
            section=FACTOR,
        ),
        Mistake(
            "scale_at_waves",
            "The factor √d is at the waves; it belongs to the embeddings.",
            _on_waves(lambda x, waves, root: x + waves * root),
            section=FACTOR,
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
            section=MISTAKES,
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
            section=MISTAKES,
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
            section=MISTAKES,
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
            section=FACTOR,
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
