"""Search that works from a folder: the sections of the book, for the script on the search page.

Sphinx's own search leads to pages, not sections, wants each word spelt right, and fetches the text
around it, which a browser refuses to do for files. Here MiniSearch finds sections, forgives one
wrong letter, and takes the terms that share an entry of the glossary for the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import quickjs
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

GLOSSARY = "chapters/glossary"
SECTIONS = "search/sections.js"
LIBRARY, TERMS = "vendor/minisearch/minisearch.js", "search/terms.js"
SCRIPTS = (LIBRARY, TERMS, SECTIONS, "search/search.js")
STATIC = Path(__file__).parents[2] / "_static"
LEFT_OUT = (
    nodes.raw,
    nodes.comment,
    nodes.math_block,
    nodes.title,
    nodes.section,
    addnodes.glossary,
)


def words_of(node: nodes.Element, code: bool = False) -> Iterator[str]:
    """The words below a node, or its code; none of sections in it, outputs, pictures, citations."""
    for child in node.children:
        if isinstance(child, nodes.Text):
            shown = code == isinstance(node, nodes.literal_block) and node.get("language") != "diff"
            yield child.astext() if shown else ""
        elif isinstance(child, nodes.math):
            yield "…" if "\\" in child.astext() else child.astext()
        elif not (
            isinstance(child, LEFT_OUT)
            or child.get("nb_element") == "cell_code_output"
            or child.get("refdomain") == "cite"
        ):
            yield from words_of(child, code)
    if isinstance(node, nodes.Body | nodes.Part):
        yield " "  # the next word is no part of the last one


def plain(words: Iterator[str]) -> str:
    """Join words with one space between them."""
    return " ".join("".join(words).split())


def sections(document: nodes.document, url: str) -> Iterator[dict[str, str]]:
    """Each section of a page, with its heading, address and words; an entry of a glossary is one.

    The introduction of a page belongs to its title.
    """
    title = next(document.findall(nodes.title)).astext()
    for section in document.findall(nodes.section):
        heading = next(section.findall(nodes.title)).astext()
        address = f"{url}#{section['ids'][0]}"
        text, code = plain(words_of(section)), plain(words_of(section, code=True))
        yield {"page": title, "title": heading, "url": address, "text": text, "code": code}
    for item in document.findall(nodes.definition_list_item):
        terms = [term for term in item.findall(nodes.term) if term["ids"]]
        if terms:
            names = ", ".join(term.astext() for term in terms)
            text = plain(words_of(next(item.findall(nodes.definition))))
            address = f"{url}#{terms[0]['ids'][0]}"
            yield {"page": title, "title": names, "url": address, "text": text, "code": ""}


def synonyms(glossary: nodes.document) -> list[list[str]]:
    """The terms that share an entry of the glossary, in small letters."""
    entries = [
        [term.astext().lower() for term in item.findall(nodes.term)]
        for item in glossary.findall(nodes.definition_list_item)
    ]
    return [terms for terms in entries if len(terms) > 1]


def made_index(found: list[dict[str, str]]) -> str:
    """Return the index of sections, as MiniSearch reads it: a reader's browser need not make it."""
    context = quickjs.Context()
    for script in (LIBRARY, TERMS):
        context.eval((STATIC / script).read_text(encoding="utf-8"))
    context.eval("const index = new MiniSearch(SEARCH_OPTIONS);")
    context.eval(f"index.addAll({json.dumps(found)});")
    return context.eval("JSON.stringify(index)")


def leave_sphinx_search_out(app: Sphinx) -> None:
    """Keep Sphinx from making an index, which no page would load, but not from making the page."""
    app.builder.search = False
    app.config.html_additional_pages["search"] = "search.html"


def add_scripts(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Let the search page, and no other, load what it searches."""
    if pagename == "search":
        for script in SCRIPTS:
            app.add_js_file(script, loading_method="defer")


def write_sections(app: Sphinx, exception: Exception | None) -> None:
    """Write what is searched."""
    if exception is not None or app.builder.format != "html":
        return
    pages = [page for page in sorted(app.env.found_docs) if page in app.env.titles]
    found = [
        section
        for page in pages
        for section in sections(app.env.get_doctree(page), app.builder.get_target_uri(page))
    ]
    known = synonyms(app.env.get_doctree(GLOSSARY)) if GLOSSARY in pages else []
    file = Path(app.outdir, "_static", SECTIONS)
    file.parent.mkdir(parents=True, exist_ok=True)
    content = json.dumps({"index": made_index(found), "synonyms": known}, ensure_ascii=False)
    file.write_text(f"const book = {content};\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("builder-inited", leave_sphinx_search_out)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_sections)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
