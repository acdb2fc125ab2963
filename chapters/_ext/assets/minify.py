"""Pages with fewer elements, that look the same: most of what a browser works at is their number.

Pygments wraps each name and each bracket, which have the colour of the code around them. Matplotlib
groups each line, without saying anything of the group, and its pictures of a few hundred colours
have four bytes for each point.
"""

from __future__ import annotations

import base64
import io
import re

from sphinx.application import Sphinx

CODE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
UNCOLOURED = re.compile(r'<span class="(?:n|nn|p|w)">([^<]*)</span>')  # names, brackets, spaces
DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
GROUP = re.compile(r"</?g\b[^>]*>")
PICTURE = re.compile(r"(data:image/png;base64,)\s*([^\"]+)")
PALETTE = 256  # colours; Matplotlib's maps have one more


def without_groups(drawing: str) -> str:
    """Return an SVG drawing without the groups that say nothing."""
    silent: list[bool] = []

    def kept(tag: re.Match[str]) -> str:
        if tag[0] == "</g>":
            return "" if silent.pop() else tag[0]
        if not tag[0].endswith("/>"):
            silent.append(tag[0] == "<g>")
            return "" if silent[-1] else tag[0]
        return tag[0]

    return GROUP.sub(kept, drawing)


def with_palette(picture: bytes) -> bytes:
    """Return a PNG with one byte for each point, if it has hardly more colours and gets smaller."""
    from PIL import Image  # few pages have such a picture

    image = Image.open(io.BytesIO(picture)).convert("RGBA")
    colours = image.getcolors(PALETTE + 1)
    if colours is None or any(colour[3] < 255 for _, colour in colours):
        return picture
    smaller = io.BytesIO()
    few = image.convert("RGB").quantize(PALETTE, dither=Image.Dither.NONE)
    few.save(smaller, "PNG", optimize=True)
    return min(smaller.getvalue(), picture, key=len)


def minified(body: str) -> str:
    """Return the same page in fewer elements and bytes."""
    body = CODE.sub(lambda code: UNCOLOURED.sub(r"\1", code[0]), body)
    body = DRAWING.sub(lambda drawing: without_groups(drawing[0]), body)
    return PICTURE.sub(
        lambda found: (
            found[1] + base64.b64encode(with_palette(base64.b64decode(found[2]))).decode()
        ),
        body,
    )


def rewrite_page(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Make a page smaller."""
    context["body"] = minified(context.get("body") or "")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, when the page is as it should look."""
    app.connect("html-page-context", rewrite_page, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
