"""Variants of the exercises of assignment 5."""

from __future__ import annotations

from grading.exercise.variants import Variant

_TEXT = (
    "It runs, its output has the right shape, a model with it even trains. It has **five bugs**. "
    "Each has lived for a while in code that people used.",
    "It runs, and its output has the right shape. It has **five bugs**.",
)
_BASE = "10000 is written into the code, and the argument `base` is not used"
_ODD = "an odd size still fails: it has one sine more than cosines"

VARIANTS = {
    "repaired_positions": (
        Variant(
            bugs={
                "ids_ignored": "the tokens are numbered from the left of each row, and "
                "`position_ids` is not used",
                "exponent_doubled": "the exponent is 4i/d, where i counts pairs; it must be 2i/d",
                "no_scale": "the embeddings are added without the factor √d",
                "base_fixed": _BASE,
                "odd": _ODD,
            },
            text=[_TEXT],
        ),
        Variant(
            bugs={
                "places_from_one": "each position is one too large; `position_ids` says the "
                "positions as they are",
                "halves": "all sines come first and then all cosines; they must alternate",
                "scale_d": "the embeddings are multiplied by d itself, not by its root",
                "base_fixed": _BASE,
                "odd": _ODD,
            },
            text=[
                _TEXT,
                (
                    "In which rows should the numbers differ, and in which do they? Which "
                    "arguments could you change without changing the result?",
                    "What should be added at position 0, and in which row does it stand? Which "
                    "argument could you change without changing the result?",
                ),
                (
                    "what is $p$, what is $i$, what is in the exponent? Then ask what $\\sqrt d$ "
                    "multiplies,",
                    "what is $p$, what is $i$, where do $2i$ and $2i + 1$ stand? Then ask what "
                    "the embeddings are multiplied by,",
                ),
            ],
        ),
    ),
}
