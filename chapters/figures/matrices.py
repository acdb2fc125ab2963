"""Examples small enough for paper: matrices of a few numbers, and vectors of two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba

from .boxes import sheet
from .numbers import number
from .picture import BLUE, FONT_SIZE, GREEN, ORANGE, Picture, canvas, show

GREY = "#808080"
CELL, HIGH, LETTER = 39, 25, 6.6  # width and height of a cell, mean width of a letter
Pair = Sequence[float]


@dataclass
class Matrix:
    """A few numbers with a title, the names of their rows and columns, and the colour they have.

    Args:
        title: what stands above, such as ``"Q"``.
        values: the numbers, ``[rows, columns]``; minus infinity is drawn as such.
        rows: a name for each row, or none.
        columns: a name for each column, or none.
        colour: QUERY, KEY, VALUE or one of HEADS; grey otherwise.
        digits: digits after the point.
    """

    title: str
    values: Iterable[Iterable[float]]
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    colour: str = GREY
    digits: int = 2
    cells: list[list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.cells = [[_written(float(n), self.digits) for n in row] for row in self.values]

    @property
    def margin(self) -> float:
        """Width of the names of the rows."""
        return max((len(name) for name in self.rows), default=0) * LETTER + 5 * bool(self.rows)

    @property
    def width(self) -> float:
        """Width with the names of the rows."""
        return self.margin + CELL * len(self.cells[0])

    def draw(self, axes: Axes, x: float, top: float) -> None:
        """Draw with the upper left corner of the numbers at ``x`` plus the margin, and ``top``."""
        left, middle = x + self.margin, x + self.margin + CELL * len(self.cells[0]) / 2
        names = {"ha": "center", "va": "bottom", "fontsize": FONT_SIZE - 1}
        above = 18 if self.columns else 3
        axes.text(middle, top + above, self.title, **names, fontweight="bold")
        for j, name in enumerate(self.columns):
            axes.text(left + CELL * (j + 0.5), top + 3, name, **names)
        for i, row in enumerate(self.cells):
            y = top - HIGH * (i + 1)
            if self.rows:
                axes.text(left - 5, y + HIGH / 2, self.rows[i], va="center", ha="right")
            for j, cell in enumerate(row):
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + CELL * j, y),
                        CELL,
                        HIGH,
                        facecolor=to_rgba(self.colour, 0.16),
                        edgecolor=self.colour,
                        lw=1.4,
                    )
                )
                axes.text(left + CELL * (j + 0.5), y + HIGH / 2, cell, ha="center", va="center")

    def words(self) -> str:
        """Read the numbers out."""
        rows = [", ".join(row) for row in self.cells]
        if self.rows:
            rows = [f"{name} {row}" for name, row in zip(self.rows, rows, strict=True)]
        return f"{self.title}: {'; '.join(rows)}."


def matrices(*lines: Sequence[Matrix | str], name: str, titles: Sequence[str] = ()) -> Picture:
    """Draw lines of matrices with signs between them, such as ``[Q, "·", K, "=", scores]``.

    Args:
        lines: each a line of the drawing, from the top.
        name: where the words of the picture are, such as ``"01/paper_scores"``.
        titles: what stands above each line, where there is something to say.
    """
    heights = []
    for line in lines:
        parts = [part for part in line if isinstance(part, Matrix)]
        tall = max(HIGH * len(part.cells) for part in parts)
        heights.append(tall + (36 if any(part.columns for part in parts) else 22))
    headed = [32 if title else 6 for title in titles or [""] * len(lines)]
    y = sum(heights) + sum(headed) + 6
    axes = sheet(360, y)
    for i, line in enumerate(lines):
        if titles:
            axes.text(2, y - 12, titles[i], va="top")
        y -= headed[i]
        signs = [part for part in line if isinstance(part, str)]
        parts = [part for part in line if isinstance(part, Matrix)]
        free = 356 - sum(part.width for part in parts)
        gap = min(26, free / max(1, len(signs)))
        x = (360 - sum(part.width for part in parts) - gap * len(signs)) / 2
        tallest = max(len(part.cells) for part in parts)
        top = y - heights[i] + HIGH * tallest
        for part in line:
            if isinstance(part, str):
                sign = {"ha": "center", "va": "center", "fontsize": FONT_SIZE + 1}
                axes.text(x + gap / 2, top - HIGH * tallest / 2, part, **sign)
                x += gap
            else:
                part.draw(axes, x, top - HIGH * (tallest - len(part.cells)) / 2)
                x += part.width
        y -= heights[i]
    said = " ".join(part.words() for line in lines for part in line if isinstance(part, Matrix))
    return show(axes, name=name, numbers=said)


def vectors(
    given: Mapping[str, Pair], moved: Mapping[str, tuple[Pair, Pair]], name: str, reach: float = 2.3
) -> Picture:
    """Draw vectors of two numbers as arrows from the origin, and where attention moves some.

    Args:
        given: name and vector, drawn in the page's ink.
        moved: name, the new vector, and the vector that pulled it there.
        name: where the words of the picture are.
        reach: how far the axes go up and down.
    """
    axes = canvas(360, 330)
    furthest = max(x for x, _ in given.values())  # no line through a name beyond it
    axes.plot([-0.2, furthest], [0, 0], color=GREY, lw=0.6)
    axes.axvline(0, color=GREY, lw=0.6)
    for label, (x, y) in given.items():
        _arrow(axes, (x, y), "black", 1.6)
        _label(axes, (x, y), label, "black")
    for (label, ((x, y), (to_x, to_y))), colour in zip(moved.items(), (BLUE, ORANGE), strict=False):
        start = next(v for v in given.values() if (to_y - v[1]) * y > 0 and v[1] == 0)
        axes.plot([start[0], to_x], [start[1], to_y], ":", color=colour, lw=1.6)
        _arrow(axes, (x, y), colour, 2.6)
        axes.text(x + 0.1, y * 1.25, label, va="center", color="black")
    axes.set_xlim(-0.2, reach + 0.9)
    axes.set_ylim(-reach, reach)
    axes.set_xlabel("first number")
    axes.set_ylabel("second number")
    axes.set_aspect("equal")
    said = [f"{label} ({x:g}, {y:g})" for label, (x, y) in given.items()]
    said += [
        f"{label} ({number(x, 2)}, {number(y, 2)})" for label, ((x, y), _pull) in moved.items()
    ]
    return show(axes, name=name, numbers=", ".join(said) + ".")


def paths(
    bold: Mapping[str, Sequence[Pair]],
    thin: Sequence[tuple[Sequence[Pair], int]],
    x_title: str,
    y_title: str,
    name: str,
) -> Picture:
    """Draw how points move from a common start, with the number of the layer at each of them.

    Args:
        bold: up to three labelled paths, each a sequence of points.
        thin: further paths in the background, each with the place of the bold one it is like.
        x_title: what runs to the right.
        y_title: what runs upwards.
        name: where the words of the picture are.
    """
    axes = canvas(360, 340)
    colours, markers = (BLUE, ORANGE, GREEN), "os^"
    for points, like in thin:
        axes.plot(*zip(*points, strict=True), color=colours[like], lw=0.7, alpha=0.55)
        axes.plot(*points[-1], markers[like], color=colours[like], ms=4, alpha=0.55)
    for i, (label, points) in enumerate(bold.items()):
        axes.plot(*zip(*points, strict=True), f"{markers[i]}-", color=colours[i], label=label, ms=6)
        for layer in range(1, len(points)):
            (x, y), (before_x, before_y) = points[layer], points[layer - 1]
            across = (0, -9) if abs(x - before_x) > abs(y - before_y) else (-9, 0)
            axes.annotate(
                str(layer),
                (x, y),
                across,
                textcoords="offset points",
                ha="center",
                va="center",
                fontsize=FONT_SIZE - 2,
            )
    start = next(iter(bold.values()))[0]
    axes.annotate("start", start, (0, 9), textcoords="offset points", ha="center")
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=1, borderaxespad=0.2)
    said = "; ".join(
        f"{label}: from ({number(points[0][0], 2)}, {number(points[0][1], 2)}) "
        f"to ({number(points[-1][0], 2)}, {number(points[-1][1], 2)})"
        for label, points in bold.items()
    )
    return show(axes, name=name, numbers=said + ".")


def _written(value: float, digits: int) -> str:
    """Write a number with a real minus sign, and whole numbers without a point."""
    if value == float("-inf"):
        return "−∞"
    text = f"{value:.0f}" if value == round(value) else number(value, digits)
    return text.replace("-", "−")


def _arrow(axes: Axes, tip: Pair, colour: str, width: float) -> None:
    """Draw an arrow from the origin."""
    style = {"arrowstyle": "-|>", "color": colour, "lw": width, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=tip, xytext=(0, 0), arrowprops=style)


def _label(axes: Axes, tip: Pair, label: str, colour: str) -> None:
    """Write a name beyond the tip of an arrow."""
    x, y = tip
    axes.text(x + 0.08, y + (0.12 if y > 0 else -0.12 if y < 0 else 0), label, va="center")
