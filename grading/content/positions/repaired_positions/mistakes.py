"""The known mistakes of `repaired_positions`."""

from __future__ import annotations

from itertools import combinations

from grading.content.common import changed_in_place, cut_off, kept
from grading.content.positions.sections import FACTOR, LENGTH, MISTAKES, SINUSOIDS
from grading.exercise import Mistake
from grading.exercise.edits import Edit

_PLACES = "position_ids[:, :, None]"
_COSINES = "angles[..., : size // 2].cos()"
_SCALED = "math.sqrt(size) * embeddings"
_BUGS = {
    "batch_axis": [
        ("    speeds =", "    places = torch.arange(batch)\n    speeds ="),
        (_PLACES, "places[:, None, None]"),
    ],
    "exponent": [("-2 * ", "-")],
    "scaled_sum": [(f"{_SCALED} + waves", "math.sqrt(size) * (embeddings + waves)")],
    "base_fixed": [("base **", "10000 **")],
    "odd": [("(size + 1) // 2", "size // 2"), (_COSINES, "angles.cos()")],
}


def _with_table(rows: str) -> list[Edit]:
    """A table of so many rows, from which the positions are taken."""
    return [
        (_PLACES, f"torch.arange({rows})[:, None]"),
        ("torch.zeros(batch, tokens, size)", f"torch.zeros({rows}, size)"),
        (" + waves", " + waves[position_ids]"),
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
    """One mistake for each bug left in the released function, and for each set of them."""
    mistakes = [
        Mistake(
            name,
            f"{reason[0].upper()}{reason[1:]}.",
            _BUGS[name],
            points=3,
            by_bug=True,
            section={"scaled_sum": FACTOR, "base_fixed": SINUSOIDS}.get(name, MISTAKES),
        )
        for name, reason in _LEFT_OVER.items()
    ]
    for count in range(2, len(_BUGS) + 1):
        for left in combinations(_BUGS, count):
            message = f"Still there: {'; '.join(_LEFT_OVER[name] for name in left)}."
            edits = [edit for name in left for edit in _BUGS[name]]
            points = max(0, 4 - count)
            mistakes.append(Mistake("_and_".join(left), message, edits, points=points, by_bug=True))
    return mistakes


COMBINED = (
    "batch_axis",
    "exponent",
    "scaled_sum",
    "base_fixed",
    "odd",
    "ids_ignored",
    "pairs_from_one",
    "exponent_doubled",
    "halves",
    "no_scale",
)

BROKEN = ("batch_axis", "exponent", "scaled_sum", "base_fixed", "odd")

MISTAKES = (
    *_left_over_mistakes(),
    Mistake(
        "ids_ignored",
        "The tokens are numbered 0, 1, 2, … from the left of each row, and `position_ids` is "
        "not used.",
        [(_PLACES, "torch.arange(tokens).expand(batch, -1)[:, :, None]")],
    ),
    Mistake(
        "first_row",
        "Every sentence gets the positions of the first one.",
        [(_PLACES, "position_ids[:1, :, None]")],
    ),
    Mistake(
        "places_from_one",
        "Each position is one too large: `position_ids` says the positions as they are, "
        "counted from 0.",
        [(_PLACES, "(position_ids + 1)[:, :, None]")],
    ),
    Mistake(
        "pairs_from_one",
        "The pairs are counted from 1, so the fastest hand is missing: the first pair has "
        "i = 0 and turns by 1 radian for each position.",
        [("torch.arange(", "torch.arange(1, 1 + ")],
    ),
    Mistake(
        "exponent_doubled",
        "The exponent is twice what it should be, 4i/d for pair i: `torch.arange(0, d, 2)` "
        "counts 2i already, so do not multiply it by 2 again.",
        [("-2 * ", "-4 * ")],
        section=MISTAKES,
    ),
    Mistake(
        "cosine_first",
        "Sine and cosine are exchanged: the even dimensions 0, 2, … hold the sines.",
        [("angles.sin()", "angles.cos()"), (_COSINES, "angles[..., : size // 2].sin()")],
    ),
    Mistake(
        "halves",
        "All sines come first and then all cosines; here they alternate, sine and cosine of a "
        "pair side by side.",
        [
            ("waves[..., 0::2]", "waves[..., : (size + 1) // 2]"),
            ("waves[..., 1::2]", "waves[..., (size + 1) // 2 :]"),
        ],
    ),
    Mistake(
        "no_scale",
        "The embeddings are added without the factor √d.",
        [(_SCALED, "embeddings")],
        section=FACTOR,
    ),
    Mistake(
        "scale_divided",
        "The embeddings are divided by √d; they must be multiplied by it.",
        [(_SCALED, "embeddings / math.sqrt(size)")],
        section=FACTOR,
    ),
    Mistake(
        "scale_d",
        "The embeddings are multiplied by d itself; the factor is its root.",
        [(_SCALED, "size * embeddings")],
        section=FACTOR,
    ),
    Mistake(
        "scale_at_waves",
        "The factor √d is at the waves; it belongs to the embeddings.",
        [(f"{_SCALED} + waves", "embeddings + math.sqrt(size) * waves")],
        section=FACTOR,
    ),
    Mistake(
        "no_embeddings",
        "These are the waves alone; the embeddings, times √d, are missing.",
        [(f"{_SCALED} + waves", "waves")],
    ),
    Mistake(
        "no_waves",
        "These are the embeddings times √d; the waves are missing.",
        [(" + waves", "")],
    ),
    Mistake(
        "subtracted",
        "The waves are subtracted; add them.",
        [(" + waves", " - waves")],
    ),
    Mistake(
        "multiplied",
        "The waves multiply the embeddings; they must be added.",
        [(" + waves", " * waves")],
    ),
    Mistake(
        "dimension_over_d",
        "The exponent counts dimensions: sine and cosine of a pair turn at different speeds. "
        "Both must have 2i/d, with i the number of the pair.",
        [
            ("-2 * torch.arange((size + 1) // 2)", "-torch.arange(size)"),
            ("angles.sin()", "angles[..., 0::2].sin()"),
            (_COSINES, "angles[..., 1::2].cos()"),
        ],
        section=MISTAKES,
    ),
    Mistake(
        "two_dimensions_over_d",
        "The exponent is 2 · dimension / d, with dimensions where pairs should be counted: "
        "sine and cosine of a pair turn at different speeds, and nearly all too slowly.",
        [
            ("torch.arange((size + 1) // 2)", "torch.arange(size)"),
            ("angles.sin()", "angles[..., 0::2].sin()"),
            (_COSINES, "angles[..., 1::2].cos()"),
        ],
        section=MISTAKES,
    ),
    Mistake(
        "speeds_up",
        "The hands become faster instead of slower: the sign of the exponent is wrong, or "
        "10000^(2i/d) multiplies the position instead of dividing it.",
        [("-2 * ", "2 * ")],
    ),
    Mistake(
        "over_pairs",
        "The exponent is divided by d − 2, so that the slowest hand has exactly the base; the "
        "paper divides by d.",
        [("2) / size", "2) / max(size - 2 + size % 2, 1)")],
    ),
    Mistake(
        "one_row",
        "All tokens get the vector of one place, the one after the last token: a colon is "
        "missing, as in `pe[tokens]` for `pe[:tokens]`, and `position_ids` is not used.",
        [(_PLACES, "torch.full((batch, tokens, 1), tokens)")],
        section=MISTAKES,
    ),
    Mistake(
        "short_table",
        "The table of waves has too few rows, or positions end at a limit: one lies beyond it. "
        "How far may `position_ids` reach, and what does the formula say of an end?",
        _with_table("256"),
        other_forms=(
            _with_table("64"),
            _with_table("tokens"),
            [(_PLACES, "position_ids.clamp(max=tokens - 1)[:, :, None]")],
            [(_PLACES, "position_ids.clamp(max=499)[:, :, None]")],
        ),
        section=LENGTH,
        any_error=True,
    ),
    changed_in_place(
        "embeddings",
        [(_SCALED, "embeddings.mul_(math.sqrt(size))")],
        "in_place",
        any_error=True,
    ),
    kept(
        [
            ("base=10000.0):", "base=10000.0, kept={}):"),
            (
                f"    angles = {_PLACES} * speeds",
                "    angles = kept.setdefault(\n"
                f"        (tokens, size, base), {_PLACES} * speeds\n"
                "    ).expand(batch, -1, -1)",
            ),
        ],
    ),
    Mistake(
        "speeds_kept",
        "The speeds are kept for later calls with vectors of the same size, and `base` is not "
        "asked again: it may be another one.",
        [
            ("base=10000.0):", "base=10000.0, kept={}):"),
            ("    angles =", "    speeds = kept.setdefault(size, speeds)\n    angles ="),
        ],
        points=3,
        section=SINUSOIDS,
    ),
    Mistake(
        "cosine_of_next_pair",
        "Each sine stands beside the cosine of the next pair: its exponent is 2(i + 1)/d. Sine "
        "and cosine of a pair have one angle.",
        [(_COSINES, "(angles / base ** (2 / size))[..., : size // 2].cos()")],
        section=MISTAKES,
    ),
    cut_off([(_SCALED, f"{_SCALED}.detach()")]),
    Mistake(
        "sines_only",
        "The odd dimensions hold sines, too; they must hold the cosines.",
        [(_COSINES, "angles[..., : size // 2].sin()")],
    ),
    Mistake(
        "degrees",
        "The angles were converted as if they were degrees; position times speed is in "
        "radians already, which is what `sin` and `cos` take.",
        [(f"{_PLACES} * speeds", f"torch.deg2rad({_PLACES} * speeds)")],
    ),
    Mistake(
        "whole_angles",
        "The angles are rounded to whole numbers; they must keep their fractions.",
        [(f"{_PLACES} * speeds", f"({_PLACES} * speeds).long()")],
    ),
    Mistake(
        "logarithm_to_two",
        "The speeds are e to the power of a logarithm to the base 2; `exp` goes with the "
        "natural logarithm, `math.log`.",
        [("base ** (", "torch.exp(math.log2(base) * ")],
    ),
    Mistake(
        "logarithm_to_ten",
        "The speeds are e to the power of a logarithm to the base 10; `exp` goes with the "
        "natural logarithm, `math.log`.",
        [("base ** (", "torch.exp(math.log10(base) * ")],
    ),
    Mistake(
        "from_the_first_place",
        "The positions are taken relative to the first or smallest one of each row; use them "
        "as they are.",
        [(_PLACES, "(position_ids - position_ids[:, :1])[:, :, None]")],
        other_forms=([(_PLACES, "(position_ids - position_ids.amin(1, True))[:, :, None]")],),
    ),
    Mistake(
        "scale_tokens",
        "The embeddings are multiplied by the root of the number of tokens; d is the length of "
        "one vector, `embeddings.size(-1)`.",
        [(_SCALED, "math.sqrt(tokens) * embeddings")],
        section=FACTOR,
    ),
    Mistake(
        "places_in_bfloat16",
        "The positions are converted to bfloat16, which has only the even numbers beyond 256. "
        "float32 has them all.",
        [(_PLACES, f"{_PLACES}.bfloat16()")],
    ),
    Mistake(
        "base_whole",
        "The base is cut or rounded to a whole number; use it as it is.",
        [("base **", "int(base) **")],
        other_forms=([("base **", "round(base) **")],),
        points=3,
        section=SINUSOIDS,
    ),
    Mistake(
        "odd_lengths",
        "With an odd size the waves do not have the same length as the embeddings, which is "
        "an error: cut off the cosine that is too many, or add the sine that is missing.",
        [
            ("torch.zeros(batch, tokens, size)", "torch.zeros(batch, tokens, size + size % 2)"),
            (_COSINES, "angles.cos()"),
        ],
        points=3,
    ),
    Mistake(
        "too_many_cosines",
        "It fails for odd sizes, where there is one sine more than cosines: only the first "
        "size // 2 cosines fit.",
        [(_COSINES, "angles.cos()")],
        points=3,
        any_error=True,
    ),
    Mistake(
        "odd_zero",
        "With an odd size the last number is 0; it must be the sine of the last pair, which "
        "only has no cosine.",
        [
            ("(size + 1) // 2", "size // 2"),
            ("waves[..., 0::2]", "waves[..., 0 : size - 1 : 2]"),
        ],
        points=3,
    ),
    Mistake(
        "odd_last_cosine",
        "With an odd size the last number is a cosine; it must be the sine of the last pair.",
        [
            (
                "    return",
                "    if size % 2:\n        waves[..., -1] = angles[..., -1].cos()\n    return",
            )
        ],
        points=3,
    ),
    Mistake(
        "odd_size_rounded_up",
        "With an odd size the exponents are divided by d + 1 (or the waves are those of size "
        "d + 1, cut off); divide by d as it is.",
        [("2) / size", "2) / (size + size % 2)")],
        points=3,
    ),
    Mistake(
        "odd_size_rounded_down",
        "With an odd size the exponents are divided by d − 1; divide by d as it is.",
        [("2) / size", "2) / max(size - size % 2, 1)")],
        points=3,
    ),
    Mistake(
        "odd_cosines_shifted",
        "With an odd size the cosines lost their first column instead of their last, so each "
        "sine stands beside the cosine of the next pair.",
        [(_COSINES, "angles[..., size % 2 :].cos()")],
        points=3,
    ),
    Mistake(
        "odd_cut",
        "With an odd size the result is one number too short: d − 1 instead of d.",
        [(f"{_SCALED} + waves", f"({_SCALED} + waves)[..., : size - size % 2]")],
        points=3,
    ),
)
