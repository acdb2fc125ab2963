"""Plots of a chapter's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import matplotlib
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from .boxes import sheet
from .numbers import number
from .picture import BLUE, FONT_SIZE, GREEN, ORANGE, Picture, canvas, show

# White at zero, darker the further away from it; orange below, blue above. An odd number of shades
# has one in the middle.
SIGNED = LinearSegmentedColormap.from_list(
    "signed", ["#7f2704", "#d94801", "#fdae6b", "#ffffff", "#9ecae1", "#2171b5", "#08306b"], 257
)


def lines(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    x_title: str,
    y_title: str,
    alt: str = "",
    caption: str = "",
    log_y: bool = False,
    predicted: Sequence[float] | None = None,
    name: str = "",
) -> Picture:
    """Draw up to three series over a logarithmic x axis, each with its own marker and line style.

    What theory expects can be passed as ``predicted``; it is drawn as a thin line behind them.

    Raises:
        ValueError: if there are more series than styles that can be told apart.
    """
    styles = [("o-", BLUE), ("s--", ORANGE), ("^-.", GREEN)]
    if len(series) > len(styles):
        raise ValueError(
            f"Found {len(series)} series, expected at most {len(styles)}: more lines cannot be "
            "told apart without colour. Draw two pictures."
        )
    axes = canvas(360, 280)
    if predicted is not None:
        styles[0] = ("o", BLUE)  # the line is the prediction's
        axes.plot(x, predicted, ":", color="black", lw=1.5, label="predicted")
    for (label, y), (style, colour) in zip(series.items(), styles, strict=False):
        axes.plot(x, y, style, color=colour, label=label)
    axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    axes.set_xticks(x, [f"{tick:g}" for tick in x])
    axes.minorticks_off()
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    if len(series) > 1 or predicted is not None:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, alt, caption, name)


def _short(text: str) -> str:
    """Write a number in as few letters as can be: ".25" for "0.25", "1" for "1.00"."""
    sign, size = ("-", text[1:]) if text.startswith("-") else ("", text)
    return sign + (
        size[1:] if size.startswith("0.") else size.removesuffix(".00").removesuffix(".0")
    )


def heat_map(
    weights,
    rows: Sequence[str],
    columns: Sequence[str],
    alt: str = "",
    caption: str = "",
    digits: int = 2,
    row_title: str = "query",
    column_title: str = "key",
    name: str = "",
) -> Picture:
    """Draw a matrix ``[rows, columns]`` as cells, darker for larger, with its numbers in them.

    Shades can be compared from one matrix to the next: see :func:`shading`. The numbers are also
    appended to the alternative text, row by row. A cell that is minus infinity stays empty.

    Raises:
        ValueError: if the names do not fit the shape of ``weights``.
    """
    values = [[float(cell) for cell in line] for line in weights]
    if len(values) != len(rows) or any(len(line) != len(columns) for line in values):
        raise ValueError(
            f"Found a matrix of {len(values)} rows with {len(rows)} row names and {len(columns)} "
            "column names: expected a name for every row and every column."
        )
    margin = max(len(row) for row in rows) * FONT_SIZE * 0.55
    side = min(290, 340 - margin) / len(columns)
    size = min(FONT_SIZE, side * 0.34)
    if narrow := size < 9:  # without the zero before the point the digits can be larger
        size = side * 0.46
    axes = canvas(360, 64 + min(side * 0.8, 40) * len(rows))
    finite = [cell for line in values for cell in line if cell != float("-inf")]
    shade_of = shading(min(finite, default=0.0), max(finite, default=0.0))
    for i, line in enumerate(values):
        for j, cell in enumerate(line):
            hidden = cell == float("-inf")
            shade = "none" if hidden else shade_of(cell)
            axes.add_patch(
                matplotlib.patches.Rectangle(
                    (j - 0.48, i - 0.48), 0.96, 0.96, facecolor=shade, edgecolor="#808080", lw=0.5
                )
            )
            ink = "black" if hidden else _ink_on(shade)
            text = "−∞" if hidden else number(cell, digits)
            if narrow and not hidden:
                text = _short(text)
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color=ink)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    turned = max(len(column) for column in columns) * FONT_SIZE * 0.55 > side
    axes.set_xticks(range(len(columns)), columns, rotation=40 if turned else 0)
    if turned:
        for label in axes.get_xticklabels():
            label.set(ha="left", rotation_mode="anchor")
    axes.set_yticks(range(len(rows)), rows)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.tick_params(length=0)
    axes.set_xlabel(f"{column_title} →", labelpad=8)
    axes.set_ylabel(f"← {row_title}")
    for spine in axes.spines.values():
        spine.set_visible(False)
    words = "; ".join(
        f"{row}: "
        + ", ".join(
            f"{column} {'hidden' if cell == float('-inf') else number(cell, digits)}"
            for column, cell in zip(columns, line, strict=True)
        )
        for row, line in zip(rows, values, strict=True)
    )
    return show(axes, alt, caption, name, f"Row by row: {words}.")


def shading(low: float, high: float) -> Callable[[float], tuple[float, ...]]:
    """Return how numbers from ``low`` to ``high`` are shaded: zero is white whatever else there is.

    Numbers from 0 to 1, such as attention weights, are shaded on that scale, so that 0.2 looks the
    same in every picture. Below zero is orange, above it blue, both as far as the larger one goes.
    """
    reach = max(abs(low), abs(high)) if low < 0 or high > 1 else 1.0
    return lambda cell: SIGNED(0.5 + 0.45 * cell / reach)


def shaded_text(
    lines: Sequence[tuple[Sequence[str], Sequence[float]]],
    alt: str = "",
    caption: str = "",
    name: str = "",
    least: float = 0.5,
) -> Picture:
    """Draw sentences token by token, darker for a larger number, with the number above.

    Args:
        lines: for each sentence its tokens and a number for each; below zero counts as zero.
        alt: what the picture shows, in words; the numbers are appended.
        caption: one or two sentences below the picture.
        name: such as ``"03/neuron"``, where both are written in ``captions/03.toml`` instead.
        least: smaller numbers are not written.

    Raises:
        ValueError: if a sentence is too wide for a phone.
    """
    height = 42
    axes = sheet(360, height * len(lines) + 4)
    shade_of = shading(0.0, max(float(v) for _, values in lines for v in values))
    said = []
    for row, (tokens, values) in enumerate(lines, start=1):
        left, bottom = 3.0, height * (len(lines) - row) + 5
        loud = []
        for token, value in zip(tokens, map(float, values), strict=True):
            width = 6.7 * len(token) + 8
            shade = shade_of(max(value, 0.0))
            axes.add_patch(
                matplotlib.patches.Rectangle(
                    (left, bottom), width, 21, facecolor=shade, edgecolor="#808080", lw=0.5
                )
            )
            middle = left + width / 2
            style = {"ha": "center", "va": "center", "fontsize": FONT_SIZE - 1}
            axes.text(middle, bottom + 10, token, color=_ink_on(shade), **style)
            if value >= least:
                axes.text(middle, bottom + 28, number(value, 1), **style)
                loud.append(f"{token} {number(value, 1)}")
            left += width + 3
        if left > 362:
            raise ValueError(
                f"Found a sentence of {left:.0f} points, expected at most 360: {' '.join(tokens)}"
            )
        said.append(f"{' '.join(tokens)}: {', '.join(loud) or 'none'}")
    return show(axes, alt, caption, name, f"Line by line: {'; '.join(said)}.")


def _ink_on(shade) -> str:
    """Choose white or near-black, whichever can be read on the shade (contrast above 4.5)."""
    return "#ffffff" if _luminance(shade) < 0.179 else "#010101"


def _luminance(colour) -> float:
    """Relative luminance as the Web Content Accessibility Guidelines define it."""
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in matplotlib.colors.to_rgb(colour)
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def shades(
    values,
    x_title: str,
    y_title: str,
    alt: str = "",
    caption: str = "",
    low: float = -1.0,
    high: float = 1.0,
    name: str = "",
) -> Picture:
    """Draw a large matrix ``[rows, columns]`` as shades with a scale beside it, white at zero.

    Several, each under its title, are drawn side by side. For a matrix that is small enough to
    print its numbers, use :func:`heat_map`.
    """
    panels = values if isinstance(values, Mapping) else {"": values}
    figure = Figure(figsize=(360 / 72, 300 / 72), layout="constrained")
    row = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    reach = max(-low, high)
    for axes, (title, matrix) in zip(row, panels.items(), strict=True):
        image = axes.imshow(
            [[float(cell) for cell in line] for line in matrix],
            cmap=SIGNED,
            vmin=-reach,
            vmax=reach,
            aspect="auto",
            interpolation="nearest",
        )
        axes.set_title(title)
        axes.set_xlabel(x_title)
    row[0].set_ylabel(y_title)
    scale = figure.colorbar(image, ax=row, shrink=0.9, pad=0.03)
    scale.ax.set_ylim(low, high)  # only what can occur
    return show(figure, alt, caption, name)


def curves(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    x_title: str,
    y_title: str,
    alt: str = "",
    caption: str = "",
    marks: Sequence[float] = (),
    name: str = "",
) -> Picture:
    """Draw up to four series, each with its own line style; points carry markers if they are few.

    Args:
        x: the points, the same for all series.
        series: name and values of each line.
        x_title: what runs to the right.
        y_title: what runs upwards.
        alt: what the picture shows, in words.
        caption: one or two sentences below the picture.
        marks: places on the x axis that get a thin vertical line.

    Raises:
        ValueError: if there are more series than styles that can be told apart.
    """
    styles = [("o-", BLUE), ("s--", ORANGE), ("^-.", GREEN), ("D:", "black")]
    if len(series) > len(styles):
        raise ValueError(
            f"Found {len(series)} series, expected at most {len(styles)}: more lines cannot be "
            "told apart without colour. Draw two pictures."
        )
    axes = canvas(360, 280)
    for mark in marks:
        axes.axvline(mark, color="#808080", lw=1.2)
    for (label, y), (style, colour) in zip(series.items(), styles, strict=False):
        drawn = style if len(x) <= 24 else style[1:]  # with its marker, or without
        axes.plot(x, y, drawn, color=colour, label=label, lw=1.6, ms=5)
    if all(isinstance(place, int) for place in x):
        axes.xaxis.get_major_locator().set_params(integer=True)  # no epoch 1.5
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    if len(series) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, alt, caption, name)


def training_runs(
    series: Mapping[str, Sequence[Sequence[float]]],
    x_title: str,
    y_title: str,
    alt: str = "",
    caption: str = "",
    level: tuple[float, str] | None = None,
    name: str = "",
) -> Picture:
    """Draw up to four groups of runs, one line a run; a run may end early, at a large marker.

    Args:
        series: for each group its runs, each a sequence of values after step 1, 2, 3 …
        x_title: what runs to the right.
        y_title: what runs upwards.
        alt: what the picture shows, in words.
        caption: one or two sentences below the picture.
        level: a height with its name, drawn as a thin horizontal line.

    Raises:
        ValueError: if there are more groups than styles that can be told apart.
    """
    styles = [("o", "-", BLUE), ("s", "--", ORANGE), ("^", "-.", GREEN), ("D", ":", "black")]
    if len(series) > len(styles):
        raise ValueError(
            f"Found {len(series)} groups of runs, expected at most {len(styles)}: more lines "
            "cannot be told apart without colour. Draw two pictures."
        )
    axes = canvas(360, 300)
    if level is not None:
        axes.axhline(level[0], color="#808080", lw=1.2, label=level[1])
    for (group, runs), (marker, line, colour) in zip(series.items(), styles, strict=False):
        for i, run in enumerate(runs):
            label = group if i == 0 else None
            style = {"ls": line, "lw": 1.4, "color": colour, "marker": marker, "ms": 6}
            axes.plot(range(1, len(run) + 1), run, markevery=[-1], label=label, **style)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, alt, caption, name)


def distributions(
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    x_title: str,
    alt: str = "",
    caption: str = "",
    name: str = "",
) -> Picture:
    """Draw up to three distributions over the same few names as groups of bars.

    Raises:
        ValueError: if there are more series than styles that can be told apart.
    """
    styles = [(BLUE, None), ("none", "///"), ("#808080", "..")]
    if len(series) > len(styles):
        raise ValueError(
            f"Found {len(series)} series, expected at most {len(styles)}: more bars cannot be "
            "told apart without colour. Draw two pictures."
        )
    axes = canvas(360, 60 + 34 * len(names))
    high = 0.8 / len(series)
    for i, ((label, values), (colour, hatch)) in enumerate(
        zip(series.items(), styles, strict=False)
    ):
        places = [row - 0.4 + high * (i + 0.5) for row in range(len(names))]
        axes.barh(
            places, values, high, label=label, facecolor=colour, edgecolor="black", hatch=hatch
        )
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(x_title)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(series),
        borderaxespad=0.2,
        columnspacing=1.2,
    )
    return show(axes, alt, caption, name)


def bars(
    values: Mapping[str, float],
    x_title: str,
    alt: str = "",
    caption: str = "",
    digits: int = 0,
    name: str = "",
) -> Picture:
    """Draw one bar for each name, with its number beside it; the numbers are appended to ``alt``.

    Args:
        values: name and length of each bar, from the top.
        x_title: what the length means.
        alt: what the picture shows, in words.
        caption: one or two sentences below the picture.
        digits: digits after the point.
    """
    axes = canvas(360, 62 + 32 * len(values))
    labels = list(values)[::-1]
    lengths = [float(values[label]) for label in labels]
    axes.barh(range(len(labels)), lengths, color=BLUE, height=0.6)
    for i, length in enumerate(lengths):
        axes.annotate(
            number(length, digits),
            (length, i),
            (5, 0),
            textcoords="offset points",
            va="center",
            fontsize=FONT_SIZE - 1,
        )
    axes.set_yticks(range(len(labels)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.16 * max(lengths))
    axes.set_xlabel(x_title)
    numbers = ", ".join(
        f"{label} {number(float(value), digits)}" for label, value in values.items()
    )
    return show(axes, alt, caption, name, f"{numbers}.")


def beam_tree(
    first: Mapping[str, float], second: Mapping[str, Mapping[str, float]], kept: Sequence[str]
) -> Picture:
    """Draw a search over two tokens: each step's probability, and the product at the leaves.

    Args:
        first: the first tokens and their probabilities.
        second: for each first token, what may follow and with which probability.
        kept: leaves such as ``"a fly"`` that are drawn with a thick line.
    """
    leaves = [(a, b) for a in first for b in second[a]]
    axes = sheet(360, 34 * len(leaves) + 30)
    height = {leaf: 34 * (len(leaves) - i) - 12 for i, leaf in enumerate(leaves)}
    middle = {a: sum(height[a, b] for b in second[a]) / len(second[a]) for a in first}
    root = (8, sum(middle.values()) / len(middle))
    thick = {name.split()[0] for name in kept}

    def branch(start, end, text, bold):
        style = {"lw": 3.2 if bold else 1.0, "ls": "-" if bold else "--"}
        axes.plot(*zip(start, end, strict=True), color="black", solid_capstyle="round", **style)
        x, y = start[0] + 0.62 * (end[0] - start[0]), start[1] + 0.62 * (end[1] - start[1])
        rise = end[1] - start[1]
        x, y = (x + 6, y + 9) if rise == 0 else (x - 9, y + math.copysign(10, rise))
        axes.text(x, y, text, ha="center", va="center", fontsize=11.5)

    for a, chance in first.items():
        branch(root, (88, middle[a]), f"{chance:g}", a in thick)
        axes.text(93, middle[a], a, va="center", fontsize=12.5)
        for b, following in second[a].items():
            name = f"{a} {b}"
            y = height[a, b]
            branch((122, middle[a]), (212, y), f"{following:g}", name in kept)
            axes.text(217, y, b, va="center", fontsize=12.5)
            product = f"{chance * following:.2f}"
            axes.text(300, y, product, va="center", ha="center", fontsize=12.5)
    top = 34 * len(leaves) + 16
    axes.text(300, top, "product", va="center", ha="center", fontsize=12.5)
    words = "; ".join(
        f"{a} {first[a]:g}, then {b} {second[a][b]:g}, product {first[a] * second[a][b]:.2f}"
        for a, b in leaves
    )
    return show(
        axes,
        f"A tree of all texts of two tokens with their probabilities: {words}. Drawn thick: "
        f"{' and '.join(kept)}.",
        "All texts of two tokens. Thick: what a beam search with two beams keeps at the end.",
    )
