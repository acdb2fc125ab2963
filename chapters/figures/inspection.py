"""What a model says before it has finished: the drawings of chapter 11."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.patches import Rectangle

from .boxes import sheet
from .numbers import number
from .picture import Picture, show
from .plots import _ink_on, shading


def lens(
    tokens: Sequence[str],
    depths: Sequence[str],
    guesses: Sequence[Sequence[str]],
    probabilities: Sequence[Sequence[float]],
    name: str = "",
    alt: str = "",
) -> Picture:
    """Draw what a model would say at each depth: a guess in each cell, darker if it is surer.

    Args:
        tokens: what is read, one a column.
        depths: names of the rows, from the input up; the first is drawn at the bottom.
        guesses: the likeliest token of each depth after each token.
        probabilities: of these guesses.
        name: such as ``"11/lens"``, where alternative text and caption are written.
        alt: what the picture shows, if there is no ``name``.

    Raises:
        ValueError: if rows or columns do not fit the names.
    """
    if len(guesses) != len(depths) or any(len(row) != len(tokens) for row in guesses):
        raise ValueError(
            f"Found {len(guesses)} rows of guesses for {len(depths)} depths and {len(tokens)} "
            "tokens: expected one row a depth and one guess a token."
        )
    left = max(len(depth) for depth in depths) * 7.4 + 8
    side, high = (358 - left) / len(tokens), 26
    axes = sheet(360, high * (len(depths) + 1) + 6)
    style = {"ha": "center", "va": "center"}
    for j, token in enumerate(tokens):
        axes.text(left + side * (j + 0.5), high / 2, _shown(token), fontsize=13, **style)
    axes.text(left - 6, high / 2, "reads", ha="right", va="center", fontsize=12)
    for i, (depth, row, sure) in enumerate(zip(depths, guesses, probabilities, strict=True)):
        bottom = high * (i + 1) + 2
        axes.text(left - 6, bottom + high / 2, depth, ha="right", va="center", fontsize=12)
        for j, (guess, p) in enumerate(zip(row, sure, strict=True)):
            shade = shading(0.0, 1.0)(float(p))
            axes.add_patch(
                Rectangle((left + side * j, bottom), side, high, fc=shade, ec="#808080", lw=0.5)
            )
            middle = left + side * (j + 0.5), bottom + high / 2
            axes.text(*middle, _shown(guess), fontsize=13, color=_ink_on(shade), **style)
    said = [
        ", ".join(f"{_shown(g)} {number(float(p), 1)}" for g, p in zip(row, sure, strict=True))
        for row, sure in zip(guesses, probabilities, strict=True)
    ]
    words = "; ".join(f"{depth}: {row}" for depth, row in zip(depths, said, strict=True))
    read = "".join(tokens).replace("\n", " ")
    return show(axes, alt, name=name, numbers=f"Read: {read}. Row by row: {words}.")


def _shown(token: str) -> str:
    return {" ": "␣", "\n": "⏎"}.get(token, token)
