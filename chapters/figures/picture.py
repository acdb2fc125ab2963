"""From a matplotlib drawing to a picture in the page, with its words."""

from __future__ import annotations

import hashlib
import html
import io
import re
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from functools import cache
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# From the palette of Okabe and Ito, which colour-blind readers can tell apart; these three also
# have a contrast above 3:1 on white and on the dark page.
BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
# In every drawing, beside their letters: one colour for each role, one for each head.
QUERY, KEY, VALUE = BLUE, ORANGE, GREEN
HEADS = ("#B0568F", "#967A00", "#607D8B")
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
CAPTIONS = Path(__file__).parent / "captions"
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


def canvas(width: float = 360, height: float = 240) -> Axes:
    """Return empty axes on a drawing of ``width`` × ``height`` points."""
    return Figure(figsize=(width / 72, height / 72), layout="constrained").subplots()


def show(
    drawing: Axes | Figure, alt: str = "", caption: str = "", name: str = "", numbers: str = ""
) -> Picture:
    """Turn a drawing into a picture for the page.

    Args:
        drawing: axes from :func:`canvas`, or a matplotlib figure.
        alt: what the picture shows, in words, for readers who cannot see it.
        caption: one or two sentences below the picture.
        name: such as ``"01/scores"``, where both are written in ``captions/01.toml`` instead.
        numbers: what is read out after the alternative text.

    Raises:
        ValueError: if there is no such entry, or ``alt`` says too little to stand for the picture.
    """
    if name:
        alt, caption = words(name)
    if len(alt.split()) < 5:
        raise ValueError(
            f"The alternative text is {alt!r}: expected a sentence that says what the picture "
            "shows, for a reader who cannot see it."
        )
    alt += numbers and f" {numbers}"
    figure = drawing.figure if isinstance(drawing, Axes) else drawing
    stream = io.BytesIO()
    figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
    return Picture(_inline(stream.getvalue(), alt), alt, caption)


def words(name: str) -> tuple[str, str]:
    """Return the alternative text and the caption of the picture ``name``, such as ``01/scores``.

    Raises:
        ValueError: if there is no such entry.
    """
    file, _, entry = name.partition("/")
    entries = captions(file)
    if entry not in entries:
        raise ValueError(
            f"Found no entry [{entry}] in captions/{file}.toml: expected one with `alt`, what the "
            "picture shows, and `caption`."
        )
    found = {key: " ".join(text.split()) for key, text in entries[entry].items()}
    return found["alt"], found.get("caption", "")


@cache
def captions(file: str) -> dict[str, dict[str, str]]:
    """Return the entries of ``captions/FILE.toml``, or none where there is no such file."""
    path = CAPTIONS / f"{file}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


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
