"""Links from the chapters to the glossary where a page first uses a term, with what it means.

Nobody has to mark the terms. The link carries the meaning as text, which a style sheet shows over
the page while the link is pointed at or has the keyboard.
"""

from __future__ import annotations

import re
from functools import cache

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform

GLOSSARY = "chapters/glossary"
PAGES = re.compile(r"chapters/(\d\d_|appendix_)")
# Where a link would be wrong (in another one, in code) or in the way.
KEPT = (
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.raw,
    nodes.math,
    nodes.math_block,
    nodes.caption,
    nodes.thead,
    addnodes.pending_xref,
)
LONGEST_MEANING = 260


class TermLink(nodes.General, nodes.Inline, nodes.TextElement):
    """A link to the glossary."""


def meanings(glossary: nodes.document) -> dict[str, tuple[str, str]]:
    """Return each term of the glossary, in small letters, with its anchor and what it means."""
    found = {}
    for item in glossary.findall(nodes.definition_list_item):
        definition = next(item.findall(nodes.definition)).astext()
        definition = " ".join(re.sub(r"(,?\s*\d+)+\s*$", "", definition).split())  # its chapters
        if len(definition) > LONGEST_MEANING:
            definition = definition[:LONGEST_MEANING].rsplit(" ", 1)[0] + " …"
        for term in item.findall(nodes.term):
            if term["ids"]:
                found[term.astext().lower()] = (term["ids"][0], definition)
    return found


@cache
def vocabulary(env: BuildEnvironment) -> tuple[re.Pattern[str], dict[str, tuple[str, str]]]:
    """Return the pattern of all terms, the longest first, and what they mean."""
    found = meanings(env.get_doctree(GLOSSARY))
    for term in list(found):
        found.setdefault(f"{term}s", found[term])
    longest_first = sorted(found, key=len, reverse=True)
    pattern = "|".join(re.escape(term).replace(r"\ ", r"\s+") for term in longest_first)
    return re.compile(rf"(?<![\w\-`])(?:{pattern})(?![\w\-])", re.IGNORECASE), found


class LinkTerms(SphinxPostTransform):
    """Links each term where the page uses it first."""

    default_priority = 900  # when references are resolved

    def run(self) -> None:
        """Look through the text of a chapter."""
        page = self.env.docname
        if not PAGES.match(page) or page.startswith("chapters/appendix_matrix"):
            return
        if GLOSSARY not in self.env.found_docs or self.app.builder.format != "html":
            return
        pattern, found = vocabulary(self.env)
        linked: set[str] = set()  # anchors: synonyms count as one
        for text in list(self.document.findall(nodes.Text)):
            if not _within(text, KEPT):
                self.link(text, pattern, found, linked)

    def link(self, text, pattern, found, linked) -> None:
        """Replace a text by itself with the terms in it linked that are new to the page."""
        pieces, end, whole = [], 0, text.astext()
        for match in pattern.finditer(whole):
            anchor, definition = found[" ".join(match[0].lower().split())]
            if definition in linked:
                continue
            linked.add(definition)
            uri = f"{self.app.builder.get_relative_uri(self.env.docname, GLOSSARY)}#{anchor}"
            target = TermLink("", match[0], refuri=uri, meaning=definition)
            pieces += [nodes.Text(whole[end : match.start()]), target]
            end = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(whole[end:])])


def _within(node: nodes.Node, kinds: tuple[type, ...]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


def visit_term(self, node: TermLink) -> None:
    """Begin the link."""
    attributes = {"href": node["refuri"], "class": "term", "data-meaning": node["meaning"]}
    self.body.append(self.starttag(node, "a", "", **attributes))


def depart_term(self, node: TermLink) -> None:
    """End the link."""
    self.body.append("</a>")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_node(TermLink, html=(visit_term, depart_term))
    app.add_post_transform(LinkTerms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
