"""The page that a student gets back: nbgrader's, as one file that runs nothing and loads nothing.

Submissions are cleaned when they are graded. Should something have been missed, the page's content
policy stops it. So that formulas need no script, they are MathML, which browsers draw themselves.
"""

from __future__ import annotations

import glob
import html
import re
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
from jinja2 import pass_context
from latex2mathml.converter import convert_to_element
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.highlight import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default import ExchangeReleaseFeedback
from nbgrader.preprocessors import GetGrades
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from traitlets import Bool, default
from traitlets.config import LoggingConfigurable

from grading.course import attempts
from grading.course.deadlines import Attempts, PenaltiesByDate, late_by
from grading.limits import ShownLimits
from grading.running.time_limit import processor_seconds

TEMPLATES = Path(__file__).parent / "templates"

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)
# All that formgrader's scripts ask MathJax for is to be told when it is done.
_INSTEAD_OF_MATHJAX = """<script>
window.MathJax ??= { Hub: { Startup: { signal: { Interest: tell => tell("End") } } } };
</script>"""
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL | re.IGNORECASE)


class ReleaseToThoseWithASecret(ExchangeReleaseFeedback):  # type: ignore[misc]  # no types
    """Release feedback through an exchange to those who handed in through it, and name the others.

    nbgrader's own stops at the first submission that came in another way, with nothing released.
    """

    _NEEDED = ("timestamp.txt", "submission_secret.txt")

    def copy_files(self) -> None:
        """Copy the pages of all who can fetch theirs."""
        step, assignment = self.coursedir.feedback_directory, self.coursedir.assignment_id
        pattern = self.coursedir.format_path(step, "(?P<student>.*)", assignment, escape=True)
        others = []
        for folder in map(Path, sorted(glob.glob(self.src_path))):
            match = re.fullmatch(pattern, str(folder))
            if match and not all((folder / name).is_file() for name in self._NEEDED):
                others.append(match["student"])
        excluded = self.coursedir.student_id_exclude
        self.coursedir.student_id_exclude = ",".join(filter(None, [excluded, *others]))
        try:
            super().copy_files()
        finally:
            self.coursedir.student_id_exclude = excluded
        if others:
            self.log.warning(
                "Not released, for it did not come through the exchange: %s. `python -m grading "
                "feedback %s` packs these.", ", ".join(others), assignment,
            )  # fmt: skip


class GradesWithTitles(GetGrades):  # type: ignore[misc]  # nbgrader has no types
    """Put into a notebook what its page says of each answer: points, comment, title, who waits."""

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Read them from the gradebook; the title is the heading above."""
        title = ""
        for cell in nb.cells:
            heading = re.match(r"##? (.+)", cell.source) if cell.cell_type == "markdown" else None
            title = heading[1].replace("`", "") if heading else title
            if "nbgrader" in cell.metadata:
                cell.metadata.nbgrader.title = title or cell.metadata.nbgrader.get("grade_id", "")
        nb, resources = super().preprocess(nb, resources)
        waiting = [c for c in nb.cells if c.metadata.get("nbgrader", {}).get("waits")]
        resources["nbgrader"]["waits"] = len(waiting)
        resources["nbgrader"]["told"] = self._told()
        light, dark = (
            HtmlFormatter(style=style).get_style_defs(".highlight")
            for style in ("default", "github-dark")
        )
        resources["inlining"] = {"css": [light, f"@media (prefers-color-scheme: dark) {{{dark}}}"]}
        return nb, resources

    def _told(self) -> list[str]:
        """What a student is told about dates and about other attempts."""
        step = PenaltiesByDate(parent=self.parent)
        with Gradebook(self.db_url) as gradebook:
            of = gradebook.find_submission(self.assignment_id, self.student_id)
            found = attempts.read(
                gradebook.engine, assignment=self.assignment_id, student=self.student_id
            )
            seconds, penalty = of.total_seconds_late, of.late_submission_penalty
            due, when, extended = of.duedate, of.timestamp, of.extension
        told = []
        if penalty or seconds:
            cost = f"{penalty:g} points less" if penalty else "no points less"
            told.append(f"Handed in late: {cost}.")
        if seconds:
            own = "your own date, " if extended else ""
            told.append(
                f"It was due {own}{step.dates.shown(due)}, and came {step.dates.shown(when)}, "
                f"{late_by(seconds)} later. {step.rule()}".strip()
            )
        if len(found) > 1:
            counts = Attempts(parent=self.parent).counts
            told.append(f"You have handed in {len(found)} times; the {counts} counts, shown here.")
        return told

    def _get_score(self, cell: NotebookNode, resources: dict[str, Any]) -> None:
        super()._get_score(cell, resources)
        grade = self.gradebook.find_grade(
            cell.metadata.nbgrader.grade_id, self.notebook_id, self.assignment_id, self.student_id
        )
        cell.metadata.nbgrader.waits = bool(grade.needs_manual_grade)


class FormgraderPage(Preprocessor):
    """Make formgrader's page of a submission ready, whether there is a network or not.

    Behind each written answer stands what the course's own notebook has there. Where MathJax, which
    comes from another host, does not come, formgrader's keys do not wait for it.
    """

    enabled = Bool(True).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: dict[str, Any]
    ) -> tuple[NotebookNode, dict[str, Any]]:
        """Add cells to a page of formgrader, and to nothing else that becomes a page."""
        if not {"assignment_id", "notebook_id", "submission_id"} <= set(resources):
            return nb, resources
        coursedir = CourseDirectory(config=self.config)
        folder = coursedir.format_path(coursedir.source_directory, ".", resources["assignment_id"])
        rubrics = written_answers(Path(folder, f"{resources['notebook_id']}.ipynb"))
        cells = []
        for cell in nb.cells:
            cells.append(cell)
            rubric = rubrics.get(cell.metadata.get("nbgrader", {}).get("grade_id", ""))
            if rubric:
                text = f"**For whoever grades; students do not see this.**\n\n{rubric}"
                text = f"<hr>\n\n{text}\n\n<hr>"
                cells.append(nbformat.v4.new_markdown_cell(text))
        nb.cells = [*cells, nbformat.v4.new_markdown_cell(_INSTEAD_OF_MATHJAX)]
        return nb, resources


def written_answers(path: Path) -> dict[str, str]:
    """Read model answers and rubrics of a source notebook: the cells that a person grades."""
    if not path.is_file():
        return {}
    found = {}
    for cell in nbformat.read(path, as_version=4).cells:
        nbgrader = cell.metadata.get("nbgrader", {})
        if nbgrader.get("grade") and nbgrader.get("solution") and cell.cell_type == "markdown":
            found[nbgrader["grade_id"]] = cell.source
    return found


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

    @default("filters")
    def _filters(self) -> dict[str, Any]:
        return FILTERS


@pass_context
class MarkdownWithMathML(LoggingConfigurable):
    """A filter that turns Markdown into HTML, as nbconvert does, and its formulas into MathML.

    Headings get no ids: one that is called like an answer would be taken for that answer's box.
    """

    def __call__(self, context: dict[str, Any], source: str) -> str:
        """Return the HTML of the source of a cell."""
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = _Renderer(escape=False, attachments=attachments, exclude_anchor_links=True)
        return str(MarkdownWithMath(renderer=renderer).render(source))


class _Renderer(IPythonRenderer):
    def block_math(self, body: str) -> str:
        return formula(body, "block", f"$${body}$$")

    def inline_math(self, body: str) -> str:
        return formula(body, "inline", f"${body}$")

    def latex_environment(self, name: str, body: str) -> str:
        text = f"\\begin{{{name}}}{body}\\end{{{name}}}"
        return formula(text, "block", text)


class BoundedColours(Highlight2HTML):
    """A filter that colours code, as nbconvert does, until a page has taken its time for that.

    Some texts take a lexer time that is quadratic. nbconvert makes a new filter for each page.
    """

    def __init__(self, **traits: Any):
        super().__init__(pygments_lexer="python", **traits)  # type: ignore[no-untyped-call]
        self._left = ShownLimits.colours_seconds

    def __call__(self, source: str, language: str | None = None, metadata: Any = None) -> str:
        """Return the HTML of the source of a cell."""
        begin = time.process_time()
        colour: Any = super().__call__
        try:
            if self._left > 0:
                with processor_seconds(self._left):
                    return str(colour(source, language, metadata))
        except Exception:  # too long; a lexer's on hostile text
            self._left = 0.0
        finally:
            self._left -= time.process_time() - begin
        return str(colour(source, "text"))


# For the pages of feedback and those of formgrader.
FILTERS = {"markdown2html": MarkdownWithMathML, "highlight_code": BoundedColours}


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
