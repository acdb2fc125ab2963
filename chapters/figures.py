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
import math
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyBboxPatch, Polygon

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
    names = max(len(name) for name in rows) * FONT_SIZE * 0.55
    side = min(290, 340 - names) / len(columns)
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


def multi_head() -> Picture:
    """Draw multi-head attention: heads side by side, concatenated, and one more projection."""
    axes = _sheet(360, 300)
    axes.text(115, 4, "hidden states", ha="center", va="bottom", fontsize=12.5)
    for x, name in ((4, "head 0"), (80, "head 1"), (156, "head 11")):
        middle = x + 35
        _arrow(axes, (115, 22), (115, 34), (middle, 34), (middle, 52))
        for i, letter in enumerate("QKV"):
            left = x + 1 + 23.5 * i
            style = "round,pad=0,rounding_size=4"
            axes.add_patch(FancyBboxPatch((left, 52), 21, 22, style, fc="none", ec="black"))
            axes.text(left + 10.5, 63, letter, ha="center", va="center", fontsize=12)
        _arrow(axes, (middle, 74), (middle, 94))
        _box(axes, x, 94, 70, 30)
        axes.text(middle, 109, "attention", ha="center", va="center", fontsize=12)
        axes.text(middle + 4, 131, name, ha="left", va="bottom", fontsize=11)
        _arrow(axes, (middle, 124), (middle, 168))
    axes.text(153, 109, "…", ha="center", va="center", fontsize=12)
    _box(axes, 4, 168, 222, 28)
    axes.text(115, 182, "concatenate", ha="center", va="center", fontsize=12.5)
    _arrow(axes, (115, 196), (115, 222))
    _box(axes, 40, 222, 150, 28)
    axes.text(115, 236, "output, W_O", ha="center", va="center", fontsize=12.5)
    _arrow(axes, (115, 250), (115, 274))
    axes.text(115, 278, "new hidden states", ha="center", va="bottom", fontsize=12.5)
    for y, shape in (
        (12, "[tokens, hidden]"),
        (63, "[tokens, head_size]"),
        (109, "[tokens, head_size]"),
        (182, "[tokens, hidden]"),
        (236, "[tokens, hidden]"),
        (286, "[tokens, hidden]"),
    ):
        axes.text(242, y, shape, va="center", fontsize=11.5)
    return show(
        axes,
        "Multi-head attention from bottom to top. The same hidden states, of shape batch by tokens "
        "by hidden size, go into every head. Each head has its own three projections Q, K and V "
        "to vectors of the short head size, and its own attention. The results of all heads are "
        "concatenated to the hidden size again, and one last projection, W_O, mixes them.",
        "Every head reads the whole hidden state and returns a short vector for each token.",
    )


def split_heads() -> Picture:
    """Draw how one packed vector for each token is cut into heads, by a view and a transposition.

    Three tokens, hidden size 6, three heads: the number in a cell is its head.
    """
    axes = _sheet(360, 372)
    names = ["time", "flies", "like"]
    colours = [(0, 0.45, 0.7, 0.28), (0.84, 0.37, 0, 0.28), (0, 0.62, 0.45, 0.28)]
    wide, high = 34, 24

    def cell(x, y, head, token=None):
        axes.add_patch(
            matplotlib.patches.Rectangle((x, y), wide, high, fc=colours[head], ec="black", lw=0.8)
        )
        axes.text(x + wide / 2, y + high / 2, str(head), ha="center", va="center", fontsize=12)

    def frame(x, y, width, height):
        _box(axes, x - 4, y - 4, width + 8, height + 8, frame=True)

    def title(y, text, shape):
        axes.text(4, y, text, va="center", fontsize=12.5)
        axes.text(356, y, shape, va="center", ha="right", fontsize=12.5)

    title(358, "packed", "[tokens, hidden]")
    for t, name in enumerate(names):
        y = 322 - high * t
        axes.text(50, y + high / 2, name, ha="right", va="center", fontsize=12)
        for i in range(6):
            cell(62 + wide * i, y, i // 2)
    title(252, "cut each vector", "[tokens, heads, head_size]")
    for t, name in enumerate(names):
        y = 210 - (high + 12) * t
        axes.text(50, y + high / 2, name, ha="right", va="center", fontsize=12)
        for i in range(6):
            cell(62 + wide * i + 12 * (i // 2), y, i // 2)
        frame(62, y, 6 * wide + 24, high)
    title(116, "heads first", "[heads, tokens, head_size]")
    for h in range(3):
        left = 62 + h * (2 * wide + 22)
        for t, name in enumerate(names):
            y = 74 - high * t
            if h == 0:
                axes.text(50, y + high / 2, name, ha="right", va="center", fontsize=12)
            for i in range(2):
                cell(left + wide * i, y, h)
        frame(left, 74 - 2 * high, 2 * wide, 3 * high)
        axes.text(left + wide, 8, f"head {h}", ha="center", va="center", fontsize=12)
    return show(
        axes,
        "Cutting packed vectors into heads, for three tokens, hidden size 6 and three heads. "
        "Packed: one row of six numbers for each token, the first two for head 0, the next two "
        "for head 1, the last two for head 2. Cut each vector: the same numbers in the same "
        "order, now three groups of two inside the frame of each token. Heads first: one frame "
        "for each head, which holds its two numbers of every token.",
        "A view and a transposition. The number in a cell says which head it belongs to; a dashed "
        "frame holds what is together in one matrix.",
    )


def shades(
    values,
    x_title: str,
    y_title: str,
    alt: str,
    caption: str = "",
    low: float = -1.0,
    high: float = 1.0,
) -> Picture:
    """Draw a large matrix ``[rows, columns]`` as shades, darker for larger, with a scale beside it.

    For a matrix that is small enough to print its numbers, use :func:`heat_map`.
    """
    axes = canvas(360, 300)
    image = axes.imshow(
        [[float(cell) for cell in line] for line in values],
        cmap="Blues",
        vmin=low,
        vmax=high,
        aspect="auto",
        interpolation="nearest",
    )
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.figure.colorbar(image, ax=axes, shrink=0.9, pad=0.03)
    return show(axes, alt, caption)


def curves(
    x: Sequence[float],
    series: Mapping[str, Sequence[float]],
    x_title: str,
    y_title: str,
    alt: str,
    caption: str = "",
    marks: Sequence[float] = (),
    every: int = 8,
) -> Picture:
    """Draw up to four series of many points, each with its own line style and sparse markers.

    Args:
        x: the points, the same for all series.
        series: name and values of each line.
        x_title: what runs to the right.
        y_title: what runs upwards.
        alt: what the picture shows, in words.
        caption: one or two sentences below the picture.
        marks: places on the x axis that get a thin vertical line.
        every: every which point carries a marker.

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
    for i, ((name, y), (style, colour)) in enumerate(zip(series.items(), styles, strict=False)):
        start = i * every // len(styles)  # markers of different lines beside each other
        axes.plot(x, y, style, color=colour, label=name, lw=1.6, ms=5, markevery=(start, every))
    if all(isinstance(place, int) for place in x):
        axes.xaxis.get_major_locator().set_params(integer=True)  # no epoch 1.5
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    if len(series) > 1:
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, alt, caption)


def rotations() -> Picture:
    """Draw one pair of a query and of a key, turned by their positions: twice the same distance."""
    figure = Figure(figsize=(360 / 72, 206 / 72))
    step, start_query, start_key = math.radians(35), math.radians(-20), math.radians(10)
    for panel, (m, n) in enumerate([(1, 2), (4, 5)]):
        axes = figure.add_axes((0.5 * panel, 0.12, 0.5, 0.87))
        axes.set_xlim(-1.35, 1.35)
        axes.set_ylim(-1.35, 1.35)
        axes.set_aspect("equal")
        axes.axis("off")
        axes.add_patch(Circle((0, 0), 1, fc="none", ec="#808080", lw=0.8))
        for name, start, position, colour, style in (
            ("q", start_query, m, BLUE, "-"),
            ("k", start_key, n, ORANGE, "--"),
        ):
            angle = start + position * step
            tip = (math.cos(angle), math.sin(angle))
            axes.plot(
                [0, 0.6 * math.cos(start)],
                [0, 0.6 * math.sin(start)],
                color="#808080",
                lw=1.2,
                ls=":",
            )
            arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2.2, "ls": style}
            axes.annotate("", xy=tip, xytext=(0, 0), arrowprops=arrow | {"shrinkA": 0})
            axes.text(1.2 * tip[0], 1.2 * tip[1], name, ha="center", va="center")
        axes.text(0, -1.32, f"query at {m}, key at {n}", ha="center", va="top", fontsize=12.5)
    return show(
        figure,
        "Two circles. In each, the arrows of one query and one key, turned by their positions from "
        "the same dotted starting lines. Left, the query is at position 1 and the key at 2; right, "
        "at 4 and 5. All arrows on the right are turned three steps further, and the angle between "
        "query and key is the same in both circles.",
        "One pair of numbers of a query (q) and a key (k), turned by a fixed angle for each "
        "position. Dotted: before turning. The angle between them depends on the distance only.",
    )


def norm_axes() -> Picture:
    """Draw which numbers share a mean and a variance: one token's, or one feature's."""
    axes = _sheet(360, 226)
    names = ["time", "flies", "like", "fruit", "flies", "like"]
    wide, high = 25, 20

    def grid(left, title, subtitle, chosen):
        axes.text(left, 208, title, va="center", fontsize=13)
        axes.text(left, 190, subtitle, va="center", fontsize=12)
        for t in range(6):
            y = 152 - high * t - (12 if t > 2 else 0)
            for i in range(5):
                inside = chosen(t, i)
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + wide * i, y),
                        wide,
                        high,
                        fc=(0, 0.45, 0.7, 0.45) if inside else "none",
                        ec="black" if inside else "#808080",
                        hatch="///" if inside else None,
                        lw=1.6 if inside else 0.6,
                        zorder=2 if inside else 1,
                    )
                )
            if left < 100:
                axes.text(left - 6, y + high / 2, names[t], ha="right", va="center", fontsize=12)
        axes.text(left, 14, "hidden →", va="center", fontsize=12)

    grid(54, "LayerNorm", "one token", lambda t, i: t == 1)
    grid(216, "BatchNorm", "one feature", lambda t, i: i == 1)
    return show(
        axes,
        "Two copies of a table with the six tokens of two sentences as rows and five hidden "
        "numbers as columns. Left, LayerNorm: one row is marked; the numbers of one token share a "
        "mean and a variance. Right, BatchNorm: one column is marked; one number of all tokens of "
        "both sentences shares a mean and a variance.",
        "Hatched: the numbers that share one mean and one variance.",
    )


def residual_layers() -> Picture:
    """Draw an encoder layer in post-norm and in pre-norm, the residual path as a thick line."""
    axes = _sheet(360, 336)

    def path(x, start, end):
        axes.plot([x, x], [start, end], color="black", lw=3.4, solid_capstyle="butt")

    def plus(x, y):
        axes.add_patch(Circle((x, y), 8, fc="none", ec="black", lw=1.4))
        axes.plot([x - 4.5, x + 4.5], [y, y], color="black", lw=1.4)
        axes.plot([x, x], [y - 4.5, y + 4.5], color="black", lw=1.4)

    def branch(x, start, boxes, end):
        """Leave the path, pass the boxes from bottom to top, and come back to a plus."""
        middle = x + 84
        y = start + 12
        _arrow(axes, (x, start), (middle, start), (middle, y))
        for i, text in enumerate(boxes):
            if i:
                _arrow(axes, (middle, y), (middle, y + 10))
                y += 10
            _box(axes, x + 32, y, 104, 25, text)
            y += 25
        _arrow(axes, (middle, y), (middle, end), (x + 8, end))
        plus(x, end)

    for left, title in ((28, "post-norm"), (216, "pre-norm")):
        axes.text(left - 20, 322, title, va="center", fontsize=13.5)
        axes.text(left, 4, "x", ha="center", va="bottom", fontsize=12.5)

    x = 28
    path(x, 22, 80)
    branch(x, 32, ["Attention"], 88)
    path(x, 96, 106)
    _box(axes, x - 20, 106, 58, 25, "Norm")
    path(x, 131, 190)
    branch(x, 142, ["Feed-forward"], 198)
    path(x, 206, 216)
    _box(axes, x - 20, 216, 58, 25, "Norm")
    _arrow(axes, (x, 241), (x, 266))

    x = 216
    path(x, 22, 112)
    branch(x, 32, ["Norm", "Attention"], 120)
    path(x, 128, 222)
    branch(x, 142, ["Norm", "Feed-forward"], 230)
    path(x, 238, 256)
    _arrow(axes, (x, 254), (x, 270))
    _box(axes, x - 20, 270, 58, 25, "Norm", frame=True)
    axes.text(x + 46, 282, "once, at the", va="center", fontsize=11.5)
    axes.text(x + 46, 269, "end of the stack", va="center", fontsize=11.5)
    _arrow(axes, (x, 295), (x, 311))
    return show(
        axes,
        "An encoder layer from bottom to top, twice; a thick line is the residual path. Left, "
        "post-norm: attention leaves the path and is added back, then a normalisation stands on "
        "the path itself; the same again with feed-forward. Right, pre-norm: a normalisation "
        "stands in the side branch before attention, and another before feed-forward; the thick "
        "path runs from the input to the top with nothing but additions. One more normalisation, "
        "with a dashed frame, stands at the end of the whole stack.",
        "One encoder layer in post-norm and in pre-norm. Thick: the residual path. In post-norm "
        "it passes through every normalisation, in pre-norm through none.",
    )


def training_runs(
    series: Mapping[str, Sequence[Sequence[float]]],
    x_title: str,
    y_title: str,
    alt: str,
    caption: str = "",
    level: tuple[float, str] | None = None,
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
    for (name, runs), (marker, line, colour) in zip(series.items(), styles, strict=False):
        for i, run in enumerate(runs):
            label = name if i == 0 else None
            style = {"ls": line, "lw": 1.4, "color": colour, "marker": marker, "ms": 6}
            axes.plot(range(1, len(run) + 1), run, markevery=[-1], label=label, **style)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(x_title)
    axes.set_ylabel(y_title)
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0.2)
    return show(axes, alt, caption)


def feed_forward_steps() -> Picture:
    """Draw the feed-forward layer for one token: narrow, wide, wide, narrow."""
    axes = _sheet(360, 300)
    middle, narrow, wide = 130, 62, 240

    def vector(y, width, text):
        _box(axes, middle - width / 2, y, width, 26)
        axes.text(middle, y + 13, text, ha="center", va="center", fontsize=12.5)

    def linear(y, below, above, text):
        corners = [(-below, y), (below, y), (above, y + 46), (-above, y + 46)]
        shape = [(middle + x / 2, height) for x, height in corners]
        axes.add_patch(Polygon(shape, fc="none", ec="black", lw=1.2, ls="dashed"))
        axes.text(middle, y + 23, text, ha="center", va="center", fontsize=12)

    steps = [(44, "x"), (116, "pre"), (186, "wide"), (258, "update")]
    axes.text(middle, 4, "one token", ha="center", va="bottom", fontsize=12.5)
    _arrow(axes, (middle, 22), (middle, 44))
    vector(44, narrow, "384")
    linear(70, narrow, wide, "first map")
    vector(116, wide, "1536 = 4 × 384")
    _arrow(axes, (middle, 142), (middle, 186))
    axes.text(middle + 10, 164, "activation", va="center", fontsize=12.5)
    vector(186, wide, "1536")
    linear(212, wide, narrow, "second map")
    vector(258, narrow, "384")
    for y, name in steps:
        axes.text(262, y + 13, name, va="center", fontsize=12.5)
    return show(
        axes,
        "The feed-forward layer for one token, from bottom to top. A vector x of 384 numbers; a "
        "linear map makes it four times as wide, 1536 numbers, called pre; the activation is "
        "applied to each of them, which gives the wide vector; a second linear map brings it back "
        "to 384 numbers, the update.",
        "The feed-forward layer for one token, from bottom to top, with MiniLM's sizes. Every "
        "token passes the same weights, by itself.",
    )


def swiglu_steps() -> Picture:
    """Draw the gated feed-forward layer for one token."""
    axes = _sheet(360, 296)
    left, right, middle = 90, 270, 180
    axes.text(middle, 4, "x: 384", ha="center", va="bottom", fontsize=12.5)
    _arrow(axes, (middle, 24), (middle, 38), (left, 38), (left, 58))
    _arrow(axes, (middle, 38), (right, 38), (right, 58))
    for x, text in ((left, "gate map"), (right, "first map")):
        _box(axes, x - 70, 58, 140, 27)
        axes.text(x, 71.5, text, ha="center", va="center", fontsize=12.5)
        axes.text(x + 8, 98, "1024", va="center", fontsize=12)
    _arrow(axes, (left, 85), (left, 112))
    _box(axes, left - 70, 112, 140, 27)
    axes.text(left, 125.5, "SiLU", ha="center", va="center", fontsize=12.5)
    _arrow(axes, (left, 139), (left, 180), (middle - 14, 180))
    _arrow(axes, (right, 85), (right, 180), (middle + 14, 180))
    axes.add_patch(Circle((middle, 180), 14, fc=(0, 0.45, 0.7, 0.13), ec="black", lw=1.2))
    axes.text(middle, 179, "×", ha="center", va="center", fontsize=16)
    axes.text(left - 8, 160, "how much", ha="right", va="center", fontsize=12)
    axes.text(right + 8, 160, "of what", va="center", fontsize=12)
    _arrow(axes, (middle, 194), (middle, 222))
    axes.text(middle + 8, 207, "1024", va="center", fontsize=12)
    _box(axes, middle - 70, 222, 140, 27)
    axes.text(middle, 235.5, "second map", ha="center", va="center", fontsize=12.5)
    _arrow(axes, (middle, 249), (middle, 272))
    axes.text(middle, 274, "update: 384", ha="center", va="bottom", fontsize=12.5)
    return show(
        axes,
        "SwiGLU for one token, from bottom to top. A vector x of 384 numbers goes through two "
        "linear maps side by side, each to 1024 numbers. The left one, the gate, passes through "
        "SiLU. The two are multiplied number by number, and a last linear map brings the result "
        "back to 384 numbers.",
        "SwiGLU: the gate says how much, the other map says of what. The width 1024 is 8/3 of 384.",
    )


def encoder_parts() -> Picture:
    """Draw the encoder with a column for each token, so that it shows where tokens meet."""
    axes = _sheet(360, 524)
    tokens = ["[CLS]", "time", "flies", "[SEP]"]
    xs = [112, 178, 244, 310]
    left, right = 84, 338

    def label(y, text):
        axes.text(4, y, text, va="center", fontsize=12.5)

    def up(y, end):
        for x in xs:
            _arrow(axes, (x, y), (x, end))

    def wide(y, text, height=24):
        _box(axes, left, y, right - left, height)
        middle = (left + right) / 2
        axes.text(middle, y + height / 2, text, ha="center", va="center", fontsize=12.5)

    for x, token in zip(xs, tokens, strict=True):
        axes.text(x, 12, token, ha="center", va="center", fontsize=12.5)
    rows = [
        ("word", ["101", "2051", "10029", "102"]),
        ("position", ["0", "1", "2", "3"]),
        ("segment", ["0", "0", "0", "0"]),
    ]
    for i, (name, ids) in enumerate(rows):
        y = 28 + 34 * i
        label(y + 12, name)
        for x, text in zip(xs, ids, strict=True):
            _box(axes, x - 26, y, 52, 24)
            axes.text(x, y + 12, text, ha="center", va="center", fontsize=12)
            if i:
                axes.text(x, y - 5, "+", ha="center", va="center", fontsize=13)
    up(120, 136)
    wide(136, "Norm")
    up(160, 190)

    # one layer, unfolded
    axes.add_patch(
        matplotlib.patches.Rectangle((76, 176), 270, 256, fc="none", ec="black", ls="dashed")
    )
    label(410, "layer 0")
    label(226, "attention")
    for below in xs:
        for above in xs:
            axes.plot([below, above], [190, 250], color="#808080", lw=0.9)
    up(250, 262)
    for x in xs:
        axes.plot([x + 20, x + 20], [160, 262], color="black", lw=2.4)
    wide(262, "Add + norm")
    label(340, "feed-")
    label(325, "forward")
    for x in xs:
        _arrow(axes, (x, 286), (x, 304))
        shape = [(x - 10, 304), (x + 10, 304), (x + 21, 326), (x - 21, 326)]
        axes.add_patch(Polygon(shape, fc=(0, 0.45, 0.7, 0.13), ec="black", lw=1.2))
        shape = [(x - 21, 326), (x + 21, 326), (x + 10, 348), (x - 10, 348)]
        axes.add_patch(Polygon(shape, fc=(0, 0.45, 0.7, 0.13), ec="black", lw=1.2))
        _arrow(axes, (x, 348), (x, 368))
        axes.plot([x + 26, x + 26], [286, 368], color="black", lw=2.4)  # past it: the residual
    wide(368, "Add + norm")
    up(392, 446)
    wide(446, "layers 1 to 5: the same again")
    up(470, 492)
    for x in xs:
        _box(axes, x - 26, 492, 52, 24)
        axes.text(x, 504, "384", ha="center", va="center", fontsize=12)
    label(510, "hidden")
    label(496, "states")
    return show(
        axes,
        "The encoder from bottom to top, with one column for each of the four tokens [CLS], time, "
        "flies, [SEP]. In each column the vectors of the word, the position and the segment are "
        "added, and the sum is normalised. A layer follows, in a dashed frame: attention, where "
        "lines run from every column to every other; add and normalise; feed-forward, once in "
        "each column; add and normalise. A thick line in each column, the residual, leads past "
        "attention and past feed-forward. Layers 1 to 5 are built in the same way. At the top "
        "there is one hidden state of 384 numbers for each token.",
        "The encoder, with a column for each token. Only attention crosses from one column to "
        "another; everything else treats each token by itself. Thick: the residuals.",
    )


def transformer_kinds() -> Picture:
    """Draw the three kinds of Transformer and, below each, who looks at whom."""
    axes = _sheet(360, 330)
    centres = {"encoder-only": 56, "decoder-only": 166, "encoder–decoder": 290}
    for name, x in centres.items():
        axes.text(x, 318, name, ha="center", va="center", fontsize=12)

    def stack(x, width, text, below, above):
        axes.text(x, 166, below, ha="center", va="center", fontsize=11)
        _arrow(axes, (x, 175), (x, 192))
        _box(axes, x - width / 2, 192, width, 66)
        axes.text(x, 225, text, ha="center", va="center", fontsize=11.5)
        if above:
            _arrow(axes, (x, 258), (x, 278))
            axes.text(x, 288, above, ha="center", va="center", fontsize=11)

    def grid(left, top, rows, columns, sees, colour, hatch):
        side = 13
        for i in range(rows):
            for j in range(columns):
                seen = sees(i, j)
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + side * j, top - side * (i + 1)),
                        side,
                        side,
                        fc=colour if seen else "none",
                        hatch=hatch if seen else None,
                        ec="black" if seen else "#808080",
                        lw=0.7,
                    )
                )

    blue, orange = (0, 0.45, 0.7, 0.45), (0.84, 0.37, 0, 0.45)
    stack(56, 88, "encoder\nlayers", "text", "vectors")
    grid(30, 140, 4, 4, lambda i, j: True, blue, None)
    stack(166, 88, "decoder\nlayers", "text so far", "next token")
    grid(140, 140, 4, 4, lambda i, j: j <= i, blue, None)
    stack(256, 62, "encoder\nlayers", "source", None)
    stack(325, 62, "decoder\nlayers", "so far", "next token")
    _arrow(axes, (256, 258), (256, 270), (290.5, 270), (290.5, 232), (294, 232))
    grid(230, 140, 4, 4, lambda i, j: True, blue, None)
    grid(230, 68, 3, 4, lambda i, j: True, orange, "///")
    grid(300, 140, 3, 3, lambda i, j: j <= i, blue, None)
    axes.text(56, 72, "everybody", ha="center", va="center", fontsize=11)
    axes.text(166, 72, "back only", ha="center", va="center", fontsize=11)
    axes.text(290, 68, "cross-", va="top", ha="left", fontsize=11)
    axes.text(290, 54, "attention", va="top", ha="left", fontsize=11)
    return show(
        axes,
        "Three kinds of Transformer; below each, a grid with a row for each query and a column for "
        "each key, filled where the query may look. Encoder-only: text goes in, vectors come out, "
        "and the grid is full. Decoder-only: the text so far goes in, the next token comes out, "
        "and only the diagonal and what lies to the left of it is filled. Encoder–decoder: a full "
        "grid for the source, a triangle for the text so far, and a third grid, three rows by four "
        "columns, full and hatched, in which the decoder's queries look at the encoder's keys.",
        "Who looks at whom, in the three kinds of Transformer. Row: query. Column: key. Hatched: "
        "cross-attention.",
    )


def distributions(
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    x_title: str,
    alt: str,
    caption: str = "",
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
    for i, ((name, values), (colour, hatch)) in enumerate(
        zip(series.items(), styles, strict=False)
    ):
        places = [row - 0.4 + high * (i + 0.5) for row in range(len(names))]
        axes.barh(
            places, values, high, label=name, facecolor=colour, edgecolor="black", hatch=hatch
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
    return show(axes, alt, caption)


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
    axes = _sheet(360, 34 * len(leaves) + 30)
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


def cache_grids() -> Picture:
    """Draw what has to be computed for the fifth token, without a cache and with one."""
    axes = _sheet(360, 214)
    side = 26

    def grid(left, title, fresh):
        axes.text(left, 196, title, va="center", fontsize=12.5)
        for i in range(5):
            for j in range(i + 1):
                new = fresh(i)
                axes.add_patch(
                    matplotlib.patches.Rectangle(
                        (left + side * j, 172 - side * (i + 1)),
                        side,
                        side,
                        fc=(0, 0.45, 0.7, 0.45) if new else "none",
                        hatch="///" if new else None,
                        ec="black" if new else "#808080",
                        lw=1.2 if new else 0.7,
                        zorder=2 if new else 1,
                    )
                )
        for i in range(5):
            axes.text(left + side * (i + 0.5), 30, str(i + 1), ha="center", fontsize=12)
            if left < 100:
                axes.text(left - 8, 172 - side * (i + 0.5), str(i + 1), va="center", ha="right")
        axes.text(left + 2.5 * side, 12, "key", ha="center", fontsize=12)

    grid(40, "without a cache", lambda i: True)
    grid(208, "with a cache", lambda i: i == 4)
    axes.text(12, 172 - 2.5 * side, "query", rotation=90, ha="center", va="center", fontsize=12)
    return show(
        axes,
        "Two triangles of five queries and the keys up to each of them, at the moment when the "
        "fifth token has been chosen and the sixth is wanted. Without a cache all fifteen "
        "comparisons are computed again. With a cache only the last row, five comparisons of one "
        "new query.",
        "What is computed when the fifth token is read. Hatched: computed now. Empty: known "
        "from earlier steps.",
    )


def body_and_heads() -> Picture:
    """Draw an encoder body with a head on the whole text and a head on every token."""
    axes = _sheet(360, 326)
    tokens = ["[CLS]", "time", "flies", "[SEP]"]

    def side(left, title):
        xs = [left + 21 + 41 * i for i in range(4)]
        axes.text(left + 82, 314, title, ha="center", va="center", fontsize=13)
        for x, token in zip(xs, tokens, strict=True):
            axes.text(x, 10, token, ha="center", va="center", fontsize=11.5)
            _arrow(axes, (x, 20), (x, 36))
            _arrow(axes, (x, 76), (x, 92))
            _box(axes, x - 17, 92, 34, 22)
            axes.text(x, 103, "384", ha="center", va="center", fontsize=11.5)
        _box(axes, left, 36, 164, 40)
        axes.text(left + 82, 56, "body: encoder", ha="center", va="center", fontsize=12.5)
        return xs

    def head(x, y, width, text):
        _box(axes, x - width / 2, y, width, 26)
        axes.text(x, y + 13, text, ha="center", va="center", fontsize=12)

    xs = side(8, "one answer a text")
    for x in xs:
        _arrow(axes, (x, 114), (x, 138))
    axes.add_patch(Polygon([(8, 138), (172, 138), (116, 172), (64, 172)], fc="none", ec="black"))
    axes.text(90, 153, "pooling", ha="center", va="center", fontsize=12.5)
    _arrow(axes, (90, 172), (90, 190))
    _box(axes, 73, 190, 34, 22)
    axes.text(90, 201, "384", ha="center", va="center", fontsize=11.5)
    _arrow(axes, (90, 212), (90, 228))
    head(90, 228, 110, "linear: the head")
    _arrow(axes, (90, 254), (90, 272))
    axes.text(90, 284, "4 logits, or a number", ha="center", va="center", fontsize=12)

    xs = side(190, "one answer a token")
    for x in xs:
        _arrow(axes, (x, 114), (x, 228))
        head(x, 228, 36, "head")
        _arrow(axes, (x, 254), (x, 272))
    axes.text(272, 284, "labels, or words", ha="center", va="center", fontsize=12)
    return show(
        axes,
        "Twice the same body, an encoder that turns the four tokens [CLS], time, flies, [SEP] into "
        "four vectors of 384 numbers. Left, one answer a text: pooling makes one vector of the "
        "four, and a linear map, the head, makes four logits or a number of it. Right, one answer "
        "a token: the same small head stands on each of the four vectors and gives each token a "
        "label or a word.",
        "One body, two ways to put a head on it. From bottom to top.",
    )


def bars(
    values: Mapping[str, float],
    x_title: str,
    alt: str,
    caption: str = "",
    digits: int = 0,
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
    names = list(values)[::-1]
    lengths = [float(values[name]) for name in names]
    axes.barh(range(len(names)), lengths, color=BLUE, height=0.6)
    for i, length in enumerate(lengths):
        axes.text(length, i, f" {number(length, digits)}", va="center", fontsize=FONT_SIZE - 1)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.16 * max(lengths))
    axes.set_xlabel(x_title)
    words = ", ".join(f"{name} {number(float(value), digits)}" for name, value in values.items())
    return show(axes, f"{alt} {words}.", caption)
