"""Where tokens are: circles, angles and padded batches."""

from __future__ import annotations

import math
from collections.abc import Sequence

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle

from .boxes import sheet
from .picture import FONT_SIZE, KEY, QUERY, Picture, canvas, show


def clock(
    points, numbered: Sequence[int], names: Sequence[str], alt: str = "", caption: str = "",
    name: str = "",
) -> Picture:  # fmt: skip
    """Draw points ``[n, 2]`` as dots, and join a few of them with their names beside them.

    Args:
        points: where the dots are.
        numbered: which of them are joined, in this order.
        names: what is written beside each of those.
        alt: what the picture shows, in words.
        caption: one or two sentences below the picture.
        name: the entry of both in ``captions``, such as ``"05/clock"``.
    """
    axes = canvas(360, 330)
    places = [[float(x) for x in point] for point in points]
    axes.scatter(*zip(*places, strict=True), s=7, color="#808080", lw=0)
    chosen = [places[i] for i in numbered]
    axes.plot(*zip(*chosen, strict=True), "o-", color=QUERY, lw=1.0, ms=6)
    reach = max(math.hypot(*place) for place in places)
    for (x, y), text in zip(chosen, names, strict=True):
        size = math.hypot(x, y)
        out = (size + 0.13 * reach) / size  # beside the dot, on the far side from the middle
        axes.text(x * out, y * out, text, ha="center", va="center", fontsize=FONT_SIZE - 1)
    axes.set_xlim(-1.2 * reach, 1.2 * reach)
    axes.set_ylim(-1.2 * reach, 1.2 * reach)
    axes.set_aspect("equal")
    axes.axis("off")
    return show(axes, alt, caption, name)


def rotations() -> Picture:
    """Draw a query and a key, rotated by their positions: twice the same distance."""
    figure = Figure(figsize=(360 / 72, 246 / 72))
    step, start_query, start_key = 35, -20, 10  # degrees
    for panel, (m, n) in enumerate([(1, 2), (4, 5)]):
        axes = figure.add_axes((0.5 * panel, 66 / 246, 0.5, 180 / 246))
        axes.set_xlim(-1.22, 1.22)
        axes.set_ylim(-1.22, 1.22)
        axes.set_aspect("equal")
        axes.axis("off")
        axes.add_patch(Circle((0, 0), 1, fc="none", ec="#808080", lw=0.8))
        ends = []
        for letter, start, position, colour, style, radius in (
            ("q", start_query, m, QUERY, "-", 0.72),
            ("k", start_key, n, KEY, "--", 0.88),
        ):
            end = start + position * step
            ends.append(end)
            x, y = math.cos(math.radians(end)), math.sin(math.radians(end))
            x0, y0 = math.cos(math.radians(start)), math.sin(math.radians(start))
            axes.plot([0, radius * x0], [0, radius * y0], color=colour, lw=1.4, ls=":")
            _turn(axes, radius, start, end, colour)
            arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2.4, "ls": style, "shrinkA": 0}
            axes.annotate("", xy=(x, y), xytext=(0, 0), arrowprops=arrow)
            axes.text(1.12 * x, 1.12 * y, letter, ha="center", va="center", color=colour)
        axes.add_patch(Arc((0, 0), 0.72, 0.72, theta1=ends[0], theta2=ends[1], ec="black", lw=2.2))
        middle = math.radians(sum(ends) / 2)
        x, y = 0.53 * math.cos(middle), 0.53 * math.sin(middle)
        axes.text(x, y, f"{ends[1] - ends[0]}°", ha="center", va="center", fontsize=12)
        for line, (name, position) in enumerate((("query", m), ("key", n))):
            text = f"{name} at {position}: {position} · {step}° = {position * step}°"
            axes.text(0, -1.26 - 0.25 * line, text, ha="center", va="top", fontsize=12.5)
    return show(
        figure,
        "Two circles. In each, the arrows of one query and one key, and thin arcs that show how"
        " far each was rotated from its dotted starting line: 35 degrees for each position. "
        "Left, the query is at position 1, rotated by 35 degrees, and the key at 2, by 70; "
        "right, at 4 and 5, by 140 and 175. The angles on the right are three steps larger. "
        "A thick arc marks the angle between query and key: 65 degrees in both circles.",
        "One pair of numbers of a query (q) and a key (k), rotated by 35° for each position. "
        "Dotted: before rotating. Thick arc: the angle between them, which depends on the "
        "distance only.",
    )


def _turn(axes, radius: float, start: float, end: float, colour: str) -> None:
    """Draw a thin arc with an arrowhead at its end."""
    axes.add_patch(
        Arc((0, 0), 2 * radius, 2 * radius, theta1=start, theta2=end - 4, ec=colour, lw=1.2)
    )
    x, y = (radius * f(math.radians(end - 1)) for f in (math.cos, math.sin))
    x0, y0 = (radius * f(math.radians(end - 9)) for f in (math.cos, math.sin))
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=(x, y), xytext=(x0, y0), arrowprops=arrow)


def padding_mask() -> Picture:
    """Draw two texts in one batch, their attention mask, and what it hides from every query."""
    axes = sheet(360, 392)
    short = ["[CLS]", "time", "flies", "[SEP]", "[PAD]", "[PAD]", "[PAD]"]
    long = ["[CLS]", "fruit", "flies", "like", "a", "banana", "[SEP]"]
    left, wide, high = 12, 48, 26

    def cell(x, y, width, height, text, hidden):
        look = {"fc": "none", "ec": "#808080", "lw": 0.8, "ls": "--" if hidden else "-"}
        axes.add_patch(matplotlib.patches.Rectangle((x, y), width, height, **look))
        ink = "#808080" if hidden else "black"
        middle = (x + width / 2, y + height / 2)
        axes.text(*middle, text, ha="center", va="center", fontsize=11.5, color=ink)

    def row(y, texts, hidden):
        for i, text in enumerate(texts):
            cell(left + wide * i, y, wide, high, text, hidden[i])

    pads = [token == "[PAD]" for token in short]
    axes.text(left, 378, "input_ids, as tokens", va="center", fontsize=12.5)
    row(342, short, pads)
    row(316, long, [False] * 7)
    axes.text(left, 296, "attention_mask", va="center", fontsize=12.5)
    row(260, ["0" if pad else "1" for pad in pads], pads)
    row(234, ["1"] * 7, [False] * 7)

    axes.text(left, 213, "the first text in attention, in every head and layer", fontsize=12.5)
    top, side = 166, 21
    grid = 110
    for j, token in enumerate(short):
        axes.text(
            grid + side * (j + 0.5), top + 6, token,
            rotation=50, ha="left", va="bottom", fontsize=11, rotation_mode="anchor",
        )  # fmt: skip
    for i, token in enumerate(short):
        y = top - side * (i + 1)
        axes.text(grid - 6, y + side / 2, token, ha="right", va="center", fontsize=11)
        for j in range(7):
            fill = "none" if pads[j] else (0, 0.45, 0.7, 0.35)
            look = {"fc": fill, "hatch": "///" if pads[j] else None, "ec": "#808080", "lw": 0.8}
            corner = (grid + side * j, y)
            axes.add_patch(matplotlib.patches.Rectangle(corner, side, side, **look))
    axes.text(grid - 60, top - 3.5 * side, "query", rotation=90, ha="center", va="center")
    for k, line in enumerate(["← key", "", "hatched:", "hidden", "from every", "query"]):
        axes.text(grid + 7 * side + 10, top + 8 - 18 * k, line, va="center", fontsize=12)
    return show(
        axes,
        "Two texts in one batch of seven columns. The first, [CLS] time flies [SEP], is "
        "followed by three [PAD]; the second, [CLS] fruit flies like a banana [SEP], fills its "
        "row. Below, the attention mask: 1 1 1 1 0 0 0 and seven ones. Below that, a grid of "
        "the first text's seven queries by its seven keys: the three columns of [PAD] are "
        "hatched from top to bottom, so no query looks there; the rows of [PAD] are not hidden.",
        "What a padded batch is, and what its mask does: it hides columns, never rows. The same"
        " row of ones and zeros serves all queries, heads and layers.",
    )
