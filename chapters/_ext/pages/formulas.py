"""Formulas: set when the book is built. A page with mathematics runs no script and waits for none.

Temml turns TeX into MathML, which browsers draw themselves, in the font STIX Two Math. Formulas are
Sphinx's nodes; those in the HTML of a quiz, which Jupyter reads too, are found between dollars.
"""

from __future__ import annotations

import functools
import html
import json
import re
import shutil
import unicodedata
from pathlib import Path

import quickjs
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from _ext.assets.fonts import cut

TEMML = Path(__file__).parents[2] / "_static" / "vendor" / "temml"
STYLE, FONT = "Temml-STIX2.css", "STIXTwoMath.woff2"
SOURCES = re.compile(r"src:[^;]*;")
ELEMENT = re.compile(r"<(\w+)")
TAG = re.compile(r"<[^>]*>")
# What an element draws of itself, though no text has it: browsers take a root's sign from the font.
DRAWN = {"msqrt": "\N{SQUARE ROOT}", "mroot": "\N{SQUARE ROOT}"}
FORMULA = re.compile(r"<math\b.*?</math>", re.DOTALL)
# A letter on its own is set in italics: another character of the font, "<font> 03C0" in Unicode.
ITALIC = {
    int(letter.split()[1], 16): code
    for code in (0x210E, *range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
    if (letter := unicodedata.decomposition(chr(code)))
}

logger = logging.getLogger(__name__)


@functools.cache
def _temml():
    context = quickjs.Context()
    context.eval((TEMML / "temml.min.js").read_text(encoding="utf-8"))
    # as JSON, because what JavaScript puts together of many pieces does not arrive as a string
    context.eval(
        """function set(tex, block) {
             const options = {displayMode: block, throwOnError: true, strict: true};
             return JSON.stringify(temml.renderToString(tex, options));
           }"""
    )
    return context.get("set")


def mathml(tex: str, block: bool = False) -> str:
    """Return a formula as MathML.

    Raises:
        ValueError: if it is none that Temml can read.
    """
    try:
        return json.loads(_temml()(tex, block))
    except quickjs.JSException as error:
        raise ValueError(str(error).splitlines()[0]) from None


def _set(node: nodes.Element, block: bool) -> str:
    tex = node.astext()
    try:
        return mathml(tex, block)
    except ValueError as error:
        logger.warning("The formula %r cannot be set: %s", tex, error, location=node)
        return ""


def inline(self, node: nodes.math) -> None:
    """Write a formula in a line."""
    self.body += [self.starttag(node, "span", "", CLASS="math"), _set(node, False), "</span>"]
    raise nodes.SkipNode


def block(self, node: nodes.math_block) -> None:
    """Write a formula of its own, with its number; it scrolls where it is too wide."""
    self.body.append(self.starttag(node, "div", CLASS="math"))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body += ['<div class="formula">', _set(node, True), "</div></div>"]
    raise nodes.SkipNode


def set_in_quizzes(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Set the formulas between dollars in the choices of a quiz."""
    for node in doctree.findall(nodes.raw):
        if node.get("format") == "html" and "<summary>" in node.astext():
            text = re.sub(
                r"\$([^$]+)\$",
                lambda found, node=node: _set(nodes.math(found[1], found[1]), False),
                node.astext(),
            )
            node.replace_self(nodes.raw("", text, format="html"))


def give_style(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Give a page with formulas their style sheet."""
    if "<math" in (context.get("body") or ""):
        app.add_css_file(f"vendor/temml/{STYLE}")


def signs(formula: str) -> set[str]:
    """Return the characters of the font that a formula in MathML needs.

    These are the characters of its text, a letter also in italics, and what its elements draw
    themselves.
    """
    written = set(html.unescape(TAG.sub("", formula)))
    italic = {chr(ITALIC[code]) for code in map(ord, written) if code in ITALIC}
    return written | italic | {DRAWN[name] for name in ELEMENT.findall(formula) if name in DRAWN}


def keep_what_is_shown(app: Sphinx, exception: Exception | None) -> None:
    """Write the font with the characters that some formula shows."""
    if exception is not None or app.builder.format != "html":
        return
    pages = (file.read_text(encoding="utf-8") for file in Path(app.outdir).rglob("*.html"))
    shown = {ord(sign) for page in pages for each in FORMULA.findall(page) for sign in signs(each)}
    folder = Path(app.outdir, "_static", "vendor", "temml")
    if not shown:
        shutil.rmtree(folder, ignore_errors=True)
        return
    font = cut(TEMML / FONT, folder, shown, layout_features=["*"])
    style = (TEMML / STYLE).read_text(encoding="utf-8")
    source = f'src: url("./{font.name}") format("woff2");'
    (folder / STYLE).write_text(SOURCES.sub(source, style, count=1), encoding="utf-8")
    (folder / "temml.min.js").unlink(missing_ok=True)  # only the build runs it


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, as the way to draw mathematics."""
    app.add_html_math_renderer(
        "mathml", inline_renderers=(inline, None), block_renderers=(block, None)
    )
    app.connect("doctree-resolved", set_in_quizzes)
    app.connect("html-page-context", give_style)
    app.connect("build-finished", keep_what_is_shown, priority=980)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
