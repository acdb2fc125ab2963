"""The page that a student gets back: nbgrader's, as one file that runs nothing and loads nothing.

Submissions are cleaned when they are graded. Should something have been missed, the page's content
policy stops it. So that formulas need no script, they are MathML, which browsers draw themselves.
"""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree

from jinja2 import pass_context
from latex2mathml.converter import convert_to_element
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from grading.limits import ShownLimits

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL | re.IGNORECASE)


class FeedbackPage(HTMLExporter):
    """nbgrader's feedback without scripts, with formulas, and with a strict content policy."""

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Make the page."""
        page, resources = super().from_notebook_node(nb, resources, **kw)
        head, closing, body = page.partition("</head>")
        policy = f'<head>\n<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        head = _SCRIPT.sub("", head).replace("<head>", policy, 1)
        return head + closing + body, resources

    @pass_context
    def markdown2html(self, context: dict[str, Any], source: str) -> str:
        """Turn Markdown into HTML, as nbconvert does, and its formulas into MathML."""
        renderer = _Renderer(
            escape=False,
            attachments=context.get("cell", {}).get("attachments", {}),
            anchor_link_text=self.anchor_link_text,
            exclude_anchor_links=self.exclude_anchor_links,
        )
        return MarkdownWithMath(renderer=renderer).render(source)


class _Renderer(IPythonRenderer):
    def block_math(self, body: str) -> str:
        return formula(body, "block", f"$${body}$$")

    def inline_math(self, body: str) -> str:
        return formula(body, "inline", f"${body}$")

    def latex_environment(self, name: str, body: str) -> str:
        text = f"\\begin{{{name}}}{body}\\end{{{name}}}"
        return formula(text, "block", text)


def formula(tex: str, display: str, typed: str) -> str:
    """Return a formula as MathML; as the text that was typed if it is none that can be read.

    What a submission writes into a formula stays text: names of attributes come from the library
    alone, and those that a browser would act on are left out.
    """
    try:
        if len(tex) > ShownLimits.formula_characters:
            raise ValueError("too long")
        math = convert_to_element(tex, display=display)
        for element in math.iter():
            element.text = element.text and html.unescape(element.text)
            for name in set(element.attrib) & {"href", "style", "class", "id", "src"}:
                del element.attrib[name]
        return ElementTree.tostring(math, encoding="unicode")
    except Exception:  # the library lets many kinds through, RecursionError among them
        return html.escape(typed)
