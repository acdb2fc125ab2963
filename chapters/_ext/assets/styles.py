"""One style sheet for all pages, with the rules that a page of the book can need.

The theme, its extensions and the book bring a dozen files, for which a page would ask one by one
before it shows a word. Most of their rules are for parts and icons that the book does not have: a
rule stays if all classes and ids that it asks for are words of some page or script.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import tinycss2
from sphinx.application import Sphinx
from sphinx.util import logging

JOINED = "styles/book.css"  # below _static
# In the order in which a page would load them: a later one has the last word.
SHEETS = (
    "styles/theme.css",
    "styles/pydata-sphinx-theme.css",
    "pygments.css",
    "styles/sphinx-book-theme.css",
    "togglebutton.css",
    "copybutton.css",
    "mystnb.*.css",
    "sphinx-design.min.css",
    "playgrounds/playgrounds.css",
    "explorer/explorer.css",
    "writer/writer.css",
    "vendor/temml/Temml-STIX2.css",
    "course.css",
)
UNUSED = "sphinx-thebe.css"  # of buttons that would run code on a server
LINK = re.compile(
    r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="(?P<up>[^"]*_static/)(?P<name>[^"?]+)[^"]*"[^>]*>\s*'
)
WORD = re.compile(r"[\w-]+")
NAME = re.compile(r"[.#]((?:[\w-]|\\.)+)")
# What stands in brackets is one of several ways to match, or must not.
BRACKETS = re.compile(r":(?:not|is|where|has)\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\]")
COMMA = re.compile(r",(?![^()]*\))(?![^\[\]]*\])")
ADDRESS = re.compile(
    r"""(?<!')url\((["']?)(?!["']?(?:data:|#|/|https?:))([^"')]+)\1\)"""
)  # in no drawing
IMPORT = re.compile(r'@import "([^"]*)";')
GROUPS = ("media", "supports", "layer", "container")  # rules of rules
MADE = {"bs-tooltip-auto"}  # of two words, by Bootstrap
LARGE = ("weights-", "words", "sections")  # beginnings of scripts that hold data and no class

log = logging.getLogger(__name__)


def join(app: Sphinx, exception: Exception | None) -> None:
    """Write the one style sheet, and let all pages that were built ask for it alone."""
    if exception is not None or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    pages = {
        page: page.read_text(encoding="utf-8")
        for page in Path(app.outdir).rglob("*.html")
        if static not in page.parents
    }
    sheets = files(static)
    text = "".join(read(file, static) for file in sheets)
    names = {name.replace("\\", "") for name in NAME.findall(text)}
    words = names & (words_of(pages.values(), static) | MADE)
    made, about = static / JOINED, static / f"{JOINED}.from"
    state = hashlib.sha256("\n".join([text, *sorted(words)]).encode()).hexdigest()
    if not about.exists() or about.read_text() != state:
        rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
        made.write_text("\n".join(needed(rules, words)), encoding="utf-8")
        about.write_text(state)
    version = hashlib.sha256(made.read_bytes()).hexdigest()[:8]
    known = {sheet.relative_to(static).as_posix() for sheet in sheets}
    for page, html in pages.items():
        found = [link["name"] for link in LINK.finditer(html)]
        strangers = set(found) - known - {UNUSED, JOINED}
        if strangers:
            log.warning("%s asks for %s: styles.py does not join it.", page, sorted(strangers))
        lighter = _with_one_link(html, version)
        if lighter != html:
            page.write_text(lighter, encoding="utf-8")


def _with_one_link(html: str, version: str) -> str:
    """Put the link of the joined style sheet in place of the first, and leave out the others."""
    first = LINK.search(html)
    if first is None:
        return html
    link = f'<link rel="stylesheet" href="{first["up"]}{JOINED}?v={version}">\n'
    return html[: first.start()] + link + LINK.sub("", html[first.start() :])


def files(static: Path) -> list[Path]:
    """Return the style sheets in their order, as far as this book has them."""
    return [file for name in SHEETS for file in sorted(static.glob(name))]


def words_of(pages, static: Path) -> set[str]:
    """Return all words of pages, and of the scripts that may give an element a class."""
    words: set[str] = set()
    for page in pages:
        words.update(WORD.findall(page))
    for script in static.rglob("*.js"):
        if not script.name.startswith(LARGE):
            words.update(WORD.findall(script.read_text(encoding="utf-8")))
    return words


def read(file: Path, static: Path) -> str:
    """Return a style sheet with what it imports, its addresses as seen from the joined one."""
    text = file.read_text(encoding="utf-8").replace('@charset "UTF-8";', "")
    text = IMPORT.sub(lambda found: read((file.parent / found[1]).resolve(), static), text)
    up = "../" * JOINED.count("/")

    def moved(found: re.Match[str]) -> str:
        target = (file.parent / found[2]).resolve().relative_to(static.resolve())
        return f'url("{up}{target.as_posix()}")'

    return ADDRESS.sub(moved, text) + "\n"


def needed(rules: list, words: set[str]) -> Iterator[str]:
    """Yield the rules that can match something.

    Args:
        rules: as tinycss2 reads them.
        words: the classes and ids that there are.
    """
    for rule in rules:
        if rule.type == "qualified-rule":
            selectors = [
                each.strip()
                for each in COMMA.split(tinycss2.serialize(rule.prelude))
                if words.issuperset(name.replace("\\", "") for name in classes(each))
            ]
            if selectors:
                yield f"{','.join(selectors)}{{{tinycss2.serialize(rule.content).strip()}}}"
        elif rule.type == "at-rule" and rule.lower_at_keyword in GROUPS and rule.content:
            inside = tinycss2.parse_rule_list(rule.content, skip_comments=True)
            kept = "\n".join(needed(inside, words))
            if kept:
                yield f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{kept}}}"
        elif rule.type == "at-rule":
            yield rule.serialize()


def classes(selector: str) -> list[str]:
    """Return the classes and ids that an element must have for a selector to match."""
    return NAME.findall(BRACKETS.sub("", selector))


def setup(app: Sphinx) -> dict:
    """Register with Sphinx, after all that changes a page or one of the style sheets."""
    app.connect("build-finished", join, priority=985)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
