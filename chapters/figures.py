"""Every picture of the book: one style, one way out.

A chapter calls a ready drawing such as `heat_map`, or draws with matplotlib on a `canvas` and hands
it to `show`. What comes back is a picture for the page: inline SVG with an alternative text and a
caption. It takes the page's own text colour and width, so one drawing serves light and dark pages,
phones and print, and its text stays text. Black means "the page's ink" here; every other colour can
be told from white and from dark grey, and nothing is told by colour alone.
"""

from __future__ import annotations

import hashlib
import html
import io
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch

# From the palette of Okabe and Ito, which colour-blind readers can tell apart; these three also
# have a contrast above 3:1 on white and on the dark page.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
FONT_SIZE = 13  # points in a drawing 360 wide: still 12 pixels on a phone 390 pixels wide
STYLE = {
    "font.size": FONT_SIZE,
    "axes.titlesize": FONT_SIZE,
    "axes.labelsize": FONT_SIZE,
    "xtick.labelsize": FONT_SIZE - 1,
    "ytick.labelsize": FONT_SIZE - 1,
    "legend.fontsize": FONT_SIZE - 1,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 2.0,
    "lines.markersize": 7.0,
    "svg.fonttype": "none",  # text stays text: it can be searched, read aloud and zoomed
    "svg.hashsalt": "course",  # the same drawing gives the same file
}
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)
matplotlib.rcParams.update(STYLE)  # whoever imports this module draws in its style
_shown: Counter[str] = Counter()


class Picture:
    """An inline SVG with alternative text and caption: a notebook draws it, a terminal says it."""

    def __init__(self, svg: str, alt: str, caption: str) -> None:
        self.svg, self.alt, self.caption = svg, alt, caption

    def _repr_html_(self) -> str:
        caption = f"<figcaption>{html.escape(self.caption)}</figcaption>" if self.caption else ""
        return f'<figure class="course-figure">{self.svg}{caption}</figure>'

    def __repr__(self) -> str:
        return f"[Picture] {self.alt}"


class Table:
    """Numbers with the names of their rows and columns: an HTML table, or aligned text."""

    def __init__(self, rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[str]]):
        if len(cells) != len(rows) or any(len(line) != len(columns) for line in cells):
            raise ValueError(
                f"Found {len(cells)} lines of {sorted({len(line) for line in cells})} cells, "
                f"expected {len(rows)} lines of {len(columns)}: name every row and every column."
            )
        self.rows, self.columns, self.cells = list(rows), list(columns), cells

    def _repr_html_(self) -> str:
        wrap, left = 'style="white-space: normal"', 'style="text-align: left"'
        head = "".join(f'<th scope="col" {wrap}>{html.escape(name)}</th>' for name in self.columns)
        body = "".join(
            f'<tr><th scope="row" {left}>{html.escape(name)}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in line)
            + "</tr>"
            for name, line in zip(self.rows, self.cells, strict=True)
        )
        # On a phone a wide table scrolls sideways in its frame, by keyboard too.
        return (
            '<div class="course-table-frame" role="group" tabindex="0" '
            f'aria-label="Table: {html.escape(", ".join(self.columns))}" '
            'style="overflow-x: auto; margin: 1em 0">'
            '<table class="course-table" style="white-space: nowrap; text-align: right">'
            f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )

    def __repr__(self) -> str:
        lines = [["", *self.columns]]
        lines += [[name, *line] for name, line in zip(self.rows, self.cells, strict=True)]
        widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )


def number(value: float, digits: int) -> str:
    """Write a number with a fixed number of digits, and zero without a sign."""
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not text.strip("-0.") else text


def table(values, rows: Sequence[str], columns: Sequence[str], digits: int = 3) -> Table:
    """Set a matrix ``[rows, columns]`` of numbers (or of ready text) as a table.

    Args:
        values: a two-dimensional tensor, or lists of numbers and text.
        rows: what each row stands for.
        columns: what each column stands for.
        digits: digits after the point.

    Raises:
        ValueError: if the names do not fit the shape of ``values``.
    """
    cells = [
        [cell if isinstance(cell, str) else number(float(cell), digits) for cell in line]
        for line in values
    ]
    return Table(rows, columns, cells)


def canvas(width: float = 360, height: float = 240) -> Axes:
    """Return empty axes on a drawing of ``width`` × ``height`` points."""
    return Figure(figsize=(width / 72, height / 72), layout="constrained").subplots()


def show(drawing: Axes | Figure, alt: str, caption: str = "") -> Picture:
    """Turn a drawing into a picture for the page.

    Args:
        drawing: axes from :func:`canvas`, or a matplotlib figure.
        alt: what the picture shows, in words, for readers who cannot see it.
        caption: one or two sentences below the picture.

    Raises:
        ValueError: if ``alt`` says too little to stand for the picture.
    """
    if len(alt.split()) < 5:
        raise ValueError(
            f"The alternative text is {alt!r}: expected a sentence that says what the picture "
            "shows, for a reader who cannot see it."
        )
    figure = drawing.figure if isinstance(drawing, Axes) else drawing
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    return Picture(_inline(stream.getvalue(), alt), alt, caption)


def _inline(file: bytes, alt: str) -> str:
    """Make an SVG file fit to stand inside a page, next to others."""
    root = ElementTree.fromstring(file)
    width = float(root.get("viewBox").split()[2])
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    parents = {child: parent for parent in root.iter() for child in parent}
    # Metadata is noise, and matplotlib's style sheet ("* {…}") would restyle the whole page.
    for element in [e for e in root.iter() if e.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style")]:
        parents[element].remove(element)

    for element in root.iter():
        style = element.get("style")
        if style is not None:
            style = re.sub(r"#000000\b", "currentColor", style)
            style = re.sub(r"font-family: [^;]*;? ?", "", style)  # the page's own letters
            element.set("style", style)
    root.set("fill", "currentColor")  # text without a colour of its own
    root.set("style", f"width: 100%; max-width: {width * 4 / 3:.0f}px; height: auto")
    root.set("stroke-linejoin", "round")
    root.set("role", "img")
    root.set("aria-label", alt)
    _rename_ids(root)
    return ElementTree.tostring(root, encoding="unicode")


def _rename_ids(root: ElementTree.Element) -> None:
    """Keep the ids that something points to, under names that no other picture has."""
    text = ElementTree.tostring(root, encoding="unicode")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    _shown[digest] += 1
    prefix = f"f{digest}-{_shown[digest]}-"
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', text))
    used = {name for pair in used for name in pair if name}
    for element in root.iter():
        name = element.attrib.pop("id", None)
        if name in used:
            element.set("id", prefix + name)
        for key, value in element.attrib.items():
            if key in ("href", f"{{{XLINK}}}href"):
                element.set(key, value.replace("#", f"#{prefix}", 1))
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{prefix}"))


def lines(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    x_title: str,
    y_title: str,
    alt: str,
    caption: str = "",
    log_y: bool = False,
    predicted: Sequence[float] | None = None,
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
    for (name, y), (style, colour) in zip(series.items(), styles, strict=False):
        axes.plot(x, y, style, color=colour, label=name)
    axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    axes.set_xticks(x, [f"{tick:g}" for tick in x])
    axes.minorticks_off()
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, alt, caption)


def heat_map(
    weights,
    rows: Sequence[str],
    columns: Sequence[str],
    alt: str,
    caption: str = "",
    digits: int = 2,
    row_title: str = "query",
    column_title: str = "key",
) -> Picture:
    """Draw a matrix ``[rows, columns]`` as cells, darker for larger, with its numbers in them.

    The numbers are also appended to ``alt``, row by row. A cell that is minus infinity stays empty.

    Raises:
        ValueError: if the names do not fit the shape of ``weights``.
    """
    values = [[float(cell) for cell in line] for line in weights]
    if len(values) != len(rows) or any(len(line) != len(columns) for line in values):
        raise ValueError(
            f"Found a matrix of {len(values)} rows with {len(rows)} row names and {len(columns)} "
            "column names: expected a name for every row and every column."
        )
    side = 290 / len(columns)
    size = min(FONT_SIZE, side * 0.34)
    axes = canvas(360, 64 + min(side * 0.8, 40) * len(rows))
    finite = [cell for line in values for cell in line if cell != float("-inf")]
    low, high = min([*finite, 0.0]), max([*finite, 1e-9])
    shades = matplotlib.colormaps["Blues"]
    for i, line in enumerate(values):
        for j, cell in enumerate(line):
            hidden = cell == float("-inf")
            shade = shades(0.9 * (cell - low) / (high - low)) if not hidden else "none"
            axes.add_patch(
                matplotlib.patches.Rectangle(
                    (j - 0.48, i - 0.48), 0.96, 0.96, facecolor=shade, edgecolor="#808080", lw=0.5
                )
            )
            ink = "black" if hidden else _ink_on(shade)
            text = "−∞" if hidden else number(cell, digits)
            axes.text(j, i, text, ha="center", va="center", fontsize=size, color=ink)
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    turned = max(len(name) for name in columns) * FONT_SIZE * 0.55 > side
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
    return show(axes, f"{alt} Row by row: {words}.", caption)


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


def _sheet(width: float, height: float) -> Axes:
    """Return axes that fill the drawing, measured in points, without any frame."""
    axes = Figure(figsize=(width / 72, height / 72)).add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.axis("off")
    return axes


def _box(axes: Axes, x, y, width, height, text="", chapters=(), frame=False, size=12.5) -> None:
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
        _badge(axes, x + width - 13 - 20 * i, y + height / 2, chapter)


def _badge(axes: Axes, x: float, y: float, chapter: int) -> None:
    axes.add_patch(Circle((x, y), 9, fc=BLUE, ec="none", zorder=3))
    axes.text(
        x, y - 0.5, str(chapter), ha="center", va="center", fontsize=12, color="#ffffff", zorder=4
    )


def _arrow(axes: Axes, *points: tuple[float, float]) -> None:
    """Draw a line through the points, with a head at the last."""
    for start, end in pairwise(points[:-1]):
        axes.plot(*zip(start, end, strict=True), color="black", lw=1.4, solid_capstyle="round")
    arrow = {"arrowstyle": "-|>", "color": "black", "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=points[-1], xytext=points[-2], arrowprops=arrow)


def architecture() -> Picture:
    """Draw the whole Transformer, with the number of the chapter that builds each part."""
    axes = _sheet(360, 464)
    left, right, wide = 8, 192, 160

    def column(x, blocks, bottom):
        """Stack the blocks upwards from ``bottom`` with arrows between; return the top."""
        y = bottom
        for text, chapters, gap in blocks:
            if gap > 4:
                _arrow(axes, (x + wide / 2, y), (x + wide / 2, y + gap))
            _box(axes, x + 6, y + gap, wide - 12, 26, text, chapters)
            y += gap + 26
        return y

    for x, tokens in ((left, "source tokens"), (right, "tokens so far")):
        axes.text(x + wide / 2, 8, tokens, ha="center", va="bottom", fontsize=12.5)
        column(x, [("Embed + place", (5,), 18)], 26)
        _arrow(axes, (x + wide / 2, 70), (x + wide / 2, 102))

    block = [("Feed-forward", (3,), 22), ("Add + normalise", (4,), 4)]
    first = [("Attention", (1, 2), 16), ("Add + normalise", (4,), 4)]
    top = column(left, first + block, 86)
    _box(axes, left, 86, wide, top + 34 - 86, frame=True)
    axes.text(left + 10, top + 17, "Encoder layers", va="center", fontsize=12.5)
    _badge(axes, left + wide - 19, top + 17, 6)
    encoder_top = top + 34

    masked = [("Masked attn.", (1, 2), 16), ("Add + normalise", (4,), 4)]
    cross = [("Cross-attn.", (1, 2), 22), ("Add + normalise", (4,), 4)]
    top = column(right, masked + cross + block, 86)
    _box(axes, right, 86, wide, top + 34 - 86, frame=True)
    axes.text(right + 10, top + 17, "Decoder layers", va="center", fontsize=12.5)
    _badge(axes, right + wide - 19, top + 17, 8)
    decoder_top = top + 34

    middle = left + wide / 2
    cross_y = 86 + 16 + 56 + 22 + 13
    _arrow(axes, (middle, encoder_top), (middle, encoder_top + 40))
    _arrow(
        axes,
        (middle, encoder_top + 16),
        (180, encoder_top + 16),
        (180, cross_y),
        (right + 6, cross_y),
    )
    _box(axes, left + 6, encoder_top + 40, wide - 12, 26, "Head", (7,))
    _arrow(axes, (middle, encoder_top + 66), (middle, encoder_top + 86))
    axes.text(middle, encoder_top + 90, "a label", ha="center", va="bottom", fontsize=12.5)

    middle = right + wide / 2
    _arrow(axes, (middle, decoder_top), (middle, decoder_top + 18))
    _box(axes, right + 6, decoder_top + 18, wide - 12, 26, "Head", (7,))
    _arrow(axes, (middle, decoder_top + 44), (middle, decoder_top + 64))
    axes.text(middle, decoder_top + 68, "next token", ha="center", va="bottom", fontsize=12.5)
    return show(
        axes,
        "The Transformer, drawn from bottom to top in two columns. Left, the encoder: source "
        "tokens are embedded and given their places (chapter 5), then pass a stack of encoder "
        "layers (chapter 6), each of which is attention (chapters 1 and 2), add and normalise "
        "(chapter 4), feed-forward (chapter 3), add and normalise. A head (chapter 7) can turn "
        "the encoder's output into a label. Right, the decoder: the tokens written so far are "
        "embedded in the same way and pass a stack of decoder layers (chapter 8): masked "
        "attention, cross-attention, which also receives the encoder's output, and feed-forward, "
        "each followed by add and normalise. A head predicts the next token.",
        "The Transformer. The numbers say which chapter builds the part; dashed frames are "
        "repeated, six times each in the original.",
    )


def attention_steps() -> Picture:
    """Draw the computation of scaled dot-product attention, with the shape after each step."""
    axes = _sheet(360, 322)
    steps = [
        ("query · key", "[queries, keys]", "scores"),
        ("÷ √d_k", "[queries, keys]", "scaled scores"),
        ("mask (optional)", "[queries, keys]", "−∞ where hidden"),
        ("softmax", "[queries, keys]", "each row sums to 1"),
        ("weights × value", "[queries, d_v]", "the update"),
    ]
    axes.text(80, 6, "query", ha="center", va="bottom", fontsize=12.5)
    axes.text(150, 6, "key", ha="center", va="bottom", fontsize=12.5)
    axes.text(28, 6, "value", ha="center", va="bottom", fontsize=12.5)
    _arrow(axes, (80, 24), (80, 42))
    _arrow(axes, (150, 24), (150, 42))
    _arrow(axes, (28, 24), (28, 269), (52, 269))
    for i, (text, shape, meaning) in enumerate(steps):
        y = 42 + 53.5 * i
        if i:
            _arrow(axes, (115, y - 26), (115, y))
        _box(axes, 52, y, 128, 27, text)
        axes.text(190, y + 20, meaning, va="center", fontsize=12.5)
        axes.text(190, y + 4, shape, va="center", fontsize=12)
    return show(
        axes,
        "Scaled dot-product attention in five steps, from bottom to top. Query and key give the "
        "scores, of shape queries by keys; they are divided by the square root of d_k; a mask may "
        "set some to minus infinity; softmax makes each row sum to 1; the weights multiply the "
        "value, which gives the update, of shape queries by d_v.",
        "Scaled dot-product attention, from bottom to top: what each step makes, and its shape.",
    )
