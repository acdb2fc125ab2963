"""Boxes and arrows: what the drawings of parts and their order are made of."""

from __future__ import annotations

from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

from .picture import BLUE


def sheet(width: float, height: float) -> Axes:
    """Return axes that fill the drawing, measured in points, without any frame."""
    axes = Figure(figsize=(width / 72, height / 72)).add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.axis("off")
    return axes


def box(axes: Axes, x, y, width, height, text="", chapters=(), frame=False, size=12.5) -> None:
    """Draw a box with a text and, at its right end, the numbers of the chapters that build it."""
    style = "round,pad=0,rounding_size=5"
    fill = "none" if frame else (0, 0.45, 0.7, 0.13)
    line = "dashed" if frame else "solid"
    axes.add_patch(
        FancyBboxPatch((x, y), width, height, boxstyle=style, fc=fill, ec="black", lw=1.2, ls=line)
    )
    if text:
        axes.text(x + 8, y + height / 2, text, va="center", fontsize=size, color="black")
    for i, chapter in enumerate(reversed(chapters)):
        badge(axes, x + width - 13 - 20 * i, y + height / 2, chapter)


def tile(axes: Axes, x, y, width, height, text: str, colour: str) -> None:
    """Draw a box in a colour that means something, such as that of a head, with a text inside."""
    style = "round,pad=0,rounding_size=4"
    fill = to_rgba(colour, 0.2)
    axes.add_patch(FancyBboxPatch((x, y), width, height, style, fc=fill, ec=colour, lw=1.6))
    middle = {"ha": "center", "va": "center", "fontsize": 12, "color": "black"}
    axes.text(x + width / 2, y + height / 2, text, **middle)


def badge(axes: Axes, x: float, y: float, chapter: int) -> None:
    """Draw the number of a chapter in a filled circle."""
    axes.add_patch(Circle((x, y), 9, fc=BLUE, ec="none", zorder=3))
    axes.text(
        x, y - 0.5, str(chapter), ha="center", va="center", fontsize=12, color="#ffffff", zorder=4
    )


def arrow(axes: Axes, *points: tuple[float, float]) -> None:
    """Draw a line through the points, with a head at the last."""
    for start, end in pairwise(points[:-1]):
        axes.plot(*zip(start, end, strict=True), color="black", lw=1.4, solid_capstyle="round")
    arrow = {"arrowstyle": "-|>", "color": "black", "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=points[-1], xytext=points[-2], arrowprops=arrow)
