"""Tables that pandas made: named for a screen reader, and in a frame that scrolls on a phone.

How they look is in `_static/course.css`.
"""

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


def marked(head: str, body: str) -> tuple[str, str]:
    """Mark the columns that hold anything but numbers: they stand at the left, and may break."""
    rows = body.split("</tr>")
    texts = {
        i
        for row in rows
        for i, (kind, _, text) in enumerate(CELL.findall(row))
        if kind == "th" or not NUMBER.fullmatch(text.strip())
    }

    def mark(row: str) -> str:
        place = itertools.count()

        def cell(found: re.Match[str]) -> str:
            kind, attributes, text = found.groups()
            words = ' class="words"' if next(place) in texts else ""
            return f"<{kind}{attributes}{words}>{text}</{kind}>"

        return CELL.sub(cell, row)

    return mark(head), "</tr>".join(map(mark, rows))


def framed(match: re.Match[str]) -> str:
    """Return the table that pandas wrote, with the scope of its heads and in a frame."""
    head, body = match.groups()
    columns = [name for name in re.findall(r"<th[^>]*>(.*?)</th>", head) if name]
    # an empty corner is no head of anything
    head = head.replace("<th></th>", "<td></td>").replace("<th>", '<th scope="col">')
    body = body.replace("<th>", '<th scope="row">')
    head, body = marked(head, body)
    return (
        '<div class="course-table-frame" role="group" tabindex="0" '
        f'aria-label="Table: {", ".join(columns)}"><table class="course-table">'
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
