"""What several exercises of the tokenizers' assignment draw."""

from __future__ import annotations

import torch

from grading.content.drawing import draw_integer, one_of
from grading.exercise import Mistake, Mutation


def draw_word(generator: torch.Generator, letters: str, low: int, high: int) -> str:
    """Draw a word of ``low`` to ``high`` of these letters."""
    return "".join(one_of(generator, *letters) for _ in range(draw_integer(generator, low, high)))


def draw_letters(generator: torch.Generator, count: int, among: str = "adeilmnorstu") -> str:
    """Draw different letters."""
    order = torch.randperm(len(among), generator=generator)[:count]
    return "".join(among[place] for place in order.tolist())


def changed(argument: str, mutation: Mutation) -> Mistake:
    """The right result, at the cost of an argument that is a list or a dictionary."""
    return Mistake(
        "changed_argument",
        f"The result is right, but `{argument}` is changed, and the caller still needs it. Work on "
        "a copy instead.",
        mutation,
    )
