"""Make a graded notebook harmless to look at.

Its pages open in the browsers of instructors and students, so nothing that a submission put there
may be active: outputs are text and checked pictures, only the grader's own reports are HTML, and
Markdown that would become more than text, links and pictures is replaced by what is left of it.
"""

from __future__ import annotations

import base64
import binascii
import re
import time
from html import escape

import nbformat
import nh3
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

from grading.limits import ShownLimits
from grading.running.time_limit import processor_seconds

_TAGS = """
    a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li
    mark ol p pre q s small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
_PICTURE = re.compile(r"data:image/(png|jpeg|gif);base64,[A-Za-z0-9+/=\s]*")
# An attribute and the tags that may have it, each with the form of its value. No element has an id
# of its own: formgrader finds the boxes for points, and scripts find `MathJax`, by theirs.
_ALLOWED = {
    "align": ("td th", re.compile("left|right|center")),
    "alt": ("img", re.compile(".*", re.DOTALL)),
    "class": ("div span", re.compile("highlight|hl-[a-z0-9]+|[a-z][a-z0-9]{0,2}")),
    "colspan": ("td th", re.compile("[0-9]{1,2}")),
    "height": ("img", re.compile("[0-9]{1,4}")),
    "href": ("a", re.compile(r"(https?://|mailto:|#).*", re.DOTALL | re.IGNORECASE)),
    "rowspan": ("td th", re.compile("[0-9]{1,2}")),
    "src": ("img", _PICTURE),
    "start": ("ol", re.compile("[0-9]{1,5}")),
    "style": ("td th", re.compile("text-align: ?(left|right|center);?")),
    "title": ("a abbr img", re.compile(".*", re.DOTALL)),
    "width": ("img", re.compile("[0-9]{1,4}")),
}
_ATTRIBUTES: dict[str, set[str]] = {}
for _name, (_tags, _) in _ALLOWED.items():
    for _tag in _tags.split():
        _ATTRIBUTES.setdefault(_tag, set()).add(_name)

# Colours of a terminal stay, for nbconvert shows them; every other control sequence goes.
_ESCAPES = re.compile(r"\x1b(?!\[[0-9;]{0,20}m)(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*\x07?|.)?")
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]"
)
_MAGIC = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}


# MathJax would make links of these, `javascript:` ones included, or load code that does.
_MATH = re.compile(
    r"\\+(href|url|class|cssId|style|data|require|unicode|includegraphics)(?![a-zA-Z])"
)


def inactive_math(text: str) -> str:
    """Take the backslashes away that make a command of a formula do more than draw."""
    return _MATH.sub(r"\1", text)


def html(text: str) -> str:
    """Keep of HTML what is only text, structure, links and the pictures that it brings along."""
    return nh3.clean(
        text,
        tags=set(_TAGS.split()),
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto", "data"},
        attribute_filter=_value,
        link_rel=None,  # else no link would be as it was written
    )


def _value(tag: str, attribute: str, value: str) -> str | None:
    form = _ALLOWED.get(attribute)  # asked for every attribute, also of tags that go
    return value if form and form[1].fullmatch(value) else None


def outputs(notebook: NotebookNode, reports: set[str]) -> None:
    """Clean the outputs of all cells but those named in ``reports``, which the grader wrote."""
    left = ShownLimits.notebook_characters
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if grade_id(cell) in reports:
            for output in cell.outputs:  # their texts may quote what a student's code said
                page = output.data["text/html"]
                output.data["text/html"] = inactive_math(page)
            continue
        kept = []
        for output in cell.outputs:
            clean = _output(output)
            if clean is None:
                continue
            left -= len(str(clean))
            if left < 0:
                kept.append(_stream("[More output than the grader keeps.]\n"))
                break
            kept.append(clean)
        cell.outputs = kept


def _output(output: NotebookNode) -> NotebookNode | None:
    if output.output_type == "stream":
        return _stream(plain(str(output.text)), output.name)
    if output.output_type == "error":
        lines = [plain(str(line)) for line in output.traceback]
        ename, evalue = plain(str(output.ename), 200), plain(str(output.evalue), 2_000)
        error: NotebookNode = nbformat.v4.new_output(
            "error", ename=ename, evalue=evalue, traceback=lines
        )
        return error
    data = {}
    for mime, content in output.get("data", {}).items():
        if mime == "text/plain":
            data[mime] = plain(content if isinstance(content, str) else str(content))
        elif mime in _MAGIC and _is_picture(mime, content):
            data[mime] = content.strip()
    return nbformat.v4.new_output("display_data", data) if data else None


def _stream(text: str, name: str = "stdout") -> NotebookNode:
    name = "stderr" if name == "stderr" else "stdout"
    stream: NotebookNode = nbformat.v4.new_output("stream", name=name, text=text)
    return stream


def plain(text: str, max_characters: int = ShownLimits.output_characters) -> str:
    """Drop what is too long, and what moves a cursor or reverses the direction of text."""
    text = _CONTROLS.sub("", _ESCAPES.sub("", text[: 2 * max_characters]))
    text = re.sub(r"\x1b(?!\[[0-9;]*m)", "", text)
    return (
        text
        if len(text) <= max_characters
        else f"{text[:max_characters]}\n[The output ends here.]\n"
    )


def _is_picture(mime: str, content: object) -> bool:
    if not isinstance(content, str) or len(content) > ShownLimits.picture_characters:
        return False
    try:
        return base64.b64decode("".join(content.split()), validate=True).startswith(_MAGIC[mime])
    except (binascii.Error, ValueError):
        return False


def markdown(notebook: NotebookNode) -> None:
    """Clean the Markdown cells that a student can write; the course's own ones are locked.

    Some texts take a renderer time that is quadratic, so all cells together have a bounded one.
    """
    left = ShownLimits.markdown_seconds
    for cell in notebook.cells:
        locked = cell.metadata.get("nbgrader", {}).get("locked", False)
        if cell.cell_type == "markdown" and not locked:
            begin = time.process_time()
            source = inactive_math(cell.source)
            cell.source = clean_markdown(source, cell.get("attachments"), left)
            left -= time.process_time() - begin


def clean_markdown(
    source: str,
    attachments: dict[str, dict[str, str]] | None = None,
    seconds: float = ShownLimits.markdown_seconds,
) -> str:
    """Return the source as it is if it is harmless, otherwise what is harmless of it, as HTML.

    What takes more processor time than ``seconds`` is shown as plain text.
    """
    if len(source) > ShownLimits.markdown_characters:
        return _as_text(source[: ShownLimits.markdown_characters])
    if seconds <= 0:
        return _as_text(source)
    try:
        with processor_seconds(seconds):
            return _cleaned(source, attachments)
    except Exception:  # too long; a renderer's on hostile text, as for a picture not attached
        return _as_text(source)


def _cleaned(source: str, attachments: dict[str, dict[str, str]] | None) -> str:
    shown = _rendered(source, attachments)
    clean = html(shown)
    if _spelling(shown) == _spelling(clean):
        return source
    # One block of HTML, without the blank line that would end it, is not read as Markdown.
    block = re.sub(r"\n[ \t]*(?=\n)", "\n&#32;", f"<div>{clean.strip()}</div>")
    again = _rendered(block, attachments)
    return block if _spelling(again) == _spelling(html(again)) else _as_text(source)


def _rendered(source: str, attachments: dict[str, dict[str, str]] | None) -> str:
    """Make of Markdown what nbconvert makes of it, without the ids that it gives to headings."""
    renderer = IPythonRenderer(
        escape=False, attachments=attachments or {}, exclude_anchor_links=True
    )
    return MarkdownWithMath(renderer=renderer).render(source)


def _spelling(text: str) -> str:
    """Level out what the two programs write differently and what cannot make a difference."""
    text = text.replace("&quot;", '"').replace("&#39;", "'").replace("\xa0", "&nbsp;")
    return text.replace("&#32;", " ").replace(" />", ">").strip()


def _as_text(source: str) -> str:
    lines = escape(source).replace("\n", "\n&#8203;")
    return f"<div><code>{lines}</code></div>"


def grade_id(cell: NotebookNode) -> str:
    """The name of a cell for nbgrader, or nothing."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
