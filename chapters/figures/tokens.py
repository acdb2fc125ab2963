"""Drawings of texts in pieces: what a tokenizer makes of them, and how merges join a word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyBboxPatch

from .boxes import sheet
from .picture import BLUE, GREEN, ORANGE, Picture, show

TINTS = (BLUE, ORANGE, GREEN)
WIDTH, HEIGHT = 360, 22


def _visible(piece: str) -> str:
    """Write a piece so that its spaces and line breaks can be seen."""
    return piece.replace(" ", "␣").replace("\n", "↵")


def _piece(axes: Axes, x: float, y: float, width: float, text: str, colour: str, lw=1.1) -> None:
    style = "round,pad=0,rounding_size=3"
    fill = to_rgba(colour, 0.2)
    axes.add_patch(FancyBboxPatch((x, y), width, HEIGHT, style, fc=fill, ec=colour, lw=lw))
    middle = {"ha": "center", "va": "center", "fontsize": 12, "color": "black"}
    axes.text(x + width / 2, y + HEIGHT / 2 - 0.5, text, **middle)


def pieces(
    rows: Mapping[str, Sequence[str]], alt: str = "", caption: str = "", name: str = ""
) -> Picture:
    """Draw a text as several tokenizers cut it: each piece in a box, colours in turn.

    Args:
        rows: name of each way to cut, and its pieces; spaces are drawn as ␣.
        alt: what the picture shows, in words; the pieces are appended.
        caption: one or two sentences below the picture.
        name: such as ``"09/cut"``, where both are written in ``captions/09.toml`` instead.
    """
    places = []  # title, or piece with its colour, and where
    y = 0.0
    for title, found in rows.items():
        places.append((title, None, 2.0, y, 0.0))
        x, y = 2.0, y + 21
        for i, piece in enumerate(map(_visible, found)):
            width = 7.4 * len(piece) + 7
            if x + width > WIDTH - 2:
                x, y = 2.0, y + HEIGHT + 4
            places.append((piece, TINTS[i % len(TINTS)], x, y, width))
            x += width + 2.5
        y += HEIGHT + 12
    axes = sheet(WIDTH, y)
    for text, colour, x, top, width in places:
        if colour is None:
            axes.text(x, y - top - 10, text, va="center", fontsize=12.5, color="black")
        else:
            _piece(axes, x, y - top - HEIGHT, width, text, colour)
    said = "; ".join(f"{title}: {' | '.join(map(_visible, each))}" for title, each in rows.items())
    return show(axes, alt, caption, name, f"{said}.")


def merging(
    steps: Sequence[tuple[str, Sequence[str]]], alt: str = "", caption: str = "", name: str = ""
) -> Picture:
    """Draw how a word's pieces are merged, one step a row; what is new has a thick frame.

    Args:
        steps: for each row what is written at its left, and the word's pieces.
        alt: what the picture shows, in words; the rows are appended.
        caption: one or two sentences below the picture.
        name: such as ``"09/merging"``, where both are written in ``captions/09.toml`` instead.
    """
    axes = sheet(WIDTH, 30 * len(steps))
    left = 104
    letter = min(26.0, (WIDTH - left - 4) / sum(map(len, steps[0][1])))
    before: set[tuple[int, int]] = set()  # where each piece of the row above begins and ends
    for row, (label, found) in enumerate(steps, start=1):
        y = 30 * (len(steps) - row) + 4
        axes.text(2, y + HEIGHT / 2 - 0.5, label, va="center", fontsize=12, color="black")
        start, spans = 0, set()
        for piece in found:
            end = start + len(piece)
            spans.add((start, end))
            new = bool(before) and (start, end) not in before
            width = letter * len(piece) - 4
            colour = ORANGE if new else BLUE
            lw = 2.4 if new else 1.1
            _piece(axes, left + letter * start, y, width, _visible(piece), colour, lw)
            start = end
        before = spans
    said = "; ".join(f"{label}: {' | '.join(map(_visible, each))}" for label, each in steps)
    return show(axes, alt, caption, name, f"Row by row: {said}.")
