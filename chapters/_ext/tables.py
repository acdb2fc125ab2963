"""Tables that pandas made: named for a screen reader, and in a frame that scrolls on a phone."""

from __future__ import annotations

import itertools
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

TABLE = re.compile(
    r"<div>\s*(?:<style scoped>.*?</style>\s*)?"
    r'<table border="1" class="dataframe">\s*<thead>(.*?)</thead>\s*<tbody>(.*?)</tbody>\s*'
    r"</table>\s*</div>",
    re.DOTALL,
)
NUMBER = re.compile(r"[-+−]?[\d.,]+(?:e[-+]?\d+)?(?: ?(?:%|s|ms|kB|MB))?|NaN|nan|-?inf|")
CELL = re.compile(r"<(t[dh])([^>]*)>(.*?)</\1>", re.DOTALL)


def text_to_the_left(head: str, body: str) -> tuple[str, str]:
    """Align to the left the columns that hold anything but numbers."""
    rows = body.split("</tr>")
    texts = {
        i
        for row in rows
        for i, (kind, _, text) in enumerate(CELL.findall(row))
        if kind == "th" or not NUMBER.fullmatch(text.strip())
    }

    def aligned(row: str) -> str:
        place = itertools.count()

        def cell(found: re.Match[str]) -> str:
            kind, attributes, text = found.groups()
            left = ' style="text-align: left"' if next(place) in texts else ""
            return f"<{kind}{attributes}{left}>{text}</{kind}>"

        return CELL.sub(cell, row)

    return aligned(head), "</tr>".join(map(aligned, rows))


def framed(match: re.Match[str]) -> str:
    """Return the table that pandas wrote, with the scope of its heads and in a frame."""
    head, body = match.groups()
    columns = [name for name in re.findall(r"<th[^>]*>(.*?)</th>", head) if name]
    # an empty corner is no head of anything
    head = head.replace("<th></th>", "<td></td>").replace("<th>", '<th scope="col">')
    body = body.replace("<th>", '<th scope="row">')
    head, body = text_to_the_left(head, body)
    return (
        '<div class="course-table-frame" role="group" tabindex="0" '
        f'aria-label="Table: {", ".join(columns)}" style="overflow-x: auto; margin: 1em 0">'
        '<table class="course-table" style="white-space: nowrap; text-align: right">'
        f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
    )


class FrameTables(SphinxPostTransform):
    """Replaces each table of pandas."""

    default_priority = 800  # when MyST-NB has chosen what to show of an output

    def run(self) -> None:
        """Look through what is written into the page as it is."""
        for node in list(self.document.findall(nodes.raw)):
            text = node.astext()
            if 'class="dataframe"' in text:
                node.replace_self(nodes.raw("", TABLE.sub(framed, text), format="html"))


def setup(app: Sphinx) -> dict:
    """Register with Sphinx."""
    app.add_post_transform(FrameTables)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
