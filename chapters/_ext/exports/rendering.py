"""Cells of a notebook as HTML without Sphinx: for slides, and for the solutions to the exercises.

What comes out needs no network and, but for the slides, no script: formulas are MathML, as in the
book; code is coloured by Pygments; drawings and tables are those that the notebook stores.
"""

from __future__ import annotations

import ast
import functools
import html
import re
import shutil
from pathlib import Path

from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from pybtex.database import parse_file
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from _ext.pages.formulas import STYLE, TEMML, mathml
from _ext.site.contents import ROOT

SYNTAX = ("amsmath", "attrs_inline", "colon_fence", "dollarmath")
HIDDEN = {"hide-input", "hide-cell"}  # tags of cells whose code the book folds
INSIDE_LINK = re.compile(r'<a\b[^>]*href="(?!https?:)[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
# Colours of the page, of code and of tables, light or dark as the reader's system is set.
BASE = """
:root { color-scheme: light dark; --ground: #ffffff; --ink: #202428; --muted: #5a626b;
        --line: #c9ced4; --surface: #f3f5f7; --accent: #0b5fbf; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14181e; --ink: #e6e9ed; --muted: #a3abb5; --line: #48505a;
          --surface: #222a33; --accent: #76b5ff; }
}
html { --pst-color-text-base: var(--ink); --pst-color-text-muted: var(--muted);
       --pst-color-border: var(--line); --pst-color-surface: var(--surface); }
body { background: var(--ground); color: var(--ink); font-family: system-ui, sans-serif; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; }
pre { margin: 0; padding: 0.5em 0.8em; border-radius: 0.4em; background: var(--surface); }
.output pre { background: none; border-left: 3px solid var(--line); border-radius: 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25em 0.7em; border-bottom: 1px solid var(--line); text-align: right; }
th:first-child, td:first-child, .prose :is(th, td) { text-align: left; }
thead th { border-bottom: 2px solid var(--muted); }
figure { margin: 0; }
"""


@functools.cache
def _references() -> dict:
    return parse_file(ROOT / "chapters" / "references.bib").entries


def citation(keys: str) -> str:
    """Return authors and year of the works with these keys, in brackets."""
    found = []
    for key in keys.split(","):
        entry = _references()[key.strip()]
        names = [" ".join(person.last_names) for person in entry.persons["author"]]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        found.append(re.sub(r"[{}\\]", "", f"{who} {entry.fields['year']}"))
    return f'<span class="citation">[{html.escape("; ".join(found))}]</span>'


class _Renderer(RendererHTML):
    def math_inline(self, tokens, at, options, env):
        return mathml(tokens[at].content)

    def math_block(self, tokens, at, options, env):
        return f'<div class="math">{mathml(tokens[at].content, block=True)}</div>\n'

    math_block_label = amsmath = math_block
    math_inline_double = math_block

    def myst_role(self, tokens, at, options, env):
        name, text = tokens[at].meta["name"], tokens[at].content
        # an equation's number is the page's: on its own, the words around it have to do
        return {"cite": citation, "eq": lambda _: "above"}.get(name, html.escape)(text)

    def fence(self, tokens, at, options, env):
        token = tokens[at]
        if token.info.startswith("{bibliography}"):
            return ""
        if token.info.startswith("{"):
            raise ValueError(f"A slide cannot show {token.info}.")
        return (
            code(token.content)
            if token.info == "python"
            else f"<pre>{html.escape(token.content)}</pre>"
        )

    def myst_target(self, tokens, at, options, env):
        return ""


@functools.cache
def _parser():
    parser = create_md_parser(MdParserConfig(enable_extensions=set(SYNTAX)), _Renderer)
    for name in ("math_inline", "math_inline_double", "math_block", "math_block_label", "amsmath",
                 "myst_role", "fence", "myst_target"):  # fmt: skip
        parser.renderer.rules[name] = getattr(parser.renderer, name)
    return parser


def markdown(text: str) -> str:
    """Return Markdown as HTML; a link to another page of the book becomes its words."""
    return INSIDE_LINK.sub(r"\1", _parser().render(text))


def line(text: str) -> str:
    """Return one line of Markdown, such as a heading's, as HTML without a paragraph around it."""
    return markdown(text).rstrip().removeprefix("<p>").removesuffix("</p>")


def words(text: str) -> str:
    """Return Markdown without the signs of emphasis and of code."""
    return re.sub(r"[*`]", "", text)


def code(source: str) -> str:
    """Return a cell's code as HTML."""
    return highlight(source, PythonLexer(), HtmlFormatter(cssclass="code", wrapcode=True))


def statements(source: str) -> list[str]:
    """Return the statements of a cell, each with its decorators and the comments in it."""
    lines = source.splitlines()
    found = []
    for node in ast.parse(source).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        found.append("\n".join(lines[first - 1 : node.end_lineno]))
    return found


def output(outputs: list) -> str:
    """Return what a cell printed and drew as HTML."""
    parts = []
    for each in outputs:
        data = each.get("data", {})
        if "text/html" in data:
            page = re.sub(r"<style\b.*?</style>", "", data["text/html"], flags=re.DOTALL)
            parts.append(re.sub(r'\sborder="1"', "", page))
        else:
            parts.append(
                f"<pre>{html.escape(each.get('text') or data.get('text/plain', ''))}</pre>"
            )
    return f'<div class="output">{"".join(parts)}</div>' if parts else ""


def shows_code(cell) -> bool:
    """Say whether the book shows a cell's code unasked."""
    return not HIDDEN & set(cell.metadata.get("tags", ()))


def style() -> str:
    """Return the style sheet of all that this module writes."""
    light = HtmlFormatter(style="a11y-high-contrast-light").get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark").get_style_defs(".code")
    keep = re.compile(r"^\.code \.\S+ \{.*$", re.MULTILINE)  # colours of words, not the ground
    dark_colours = "\n".join(keep.findall(dark))
    colours = "\n".join(keep.findall(light))
    return f"{BASE}{colours}\n@media (prefers-color-scheme: dark) {{\n{dark_colours}\n}}\n"


def write_formula_style(folder: Path) -> None:
    """Write the style sheet of formulas, and their font, into a folder."""
    for name in (STYLE, "STIXTwoMath.woff2"):
        shutil.copy(TEMML / name, folder)
