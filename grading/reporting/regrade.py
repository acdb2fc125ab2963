"""Requests to look at an answer again: what a student writes, beside what the grader has seen.

A request is a file of a student's, and as hostile as any: it is bounded, never followed if it is a
link, and only ever shown as text. The answer is nbgrader's own comment on the cell, given in
formgrader, so that it stands in the feedback and stays when the submission is graded again.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook, MissingEntry

from grading.check import printable
from grading.content import exercises_of
from grading.course import attempts, repair, sanitise
from grading.course.deadlines import due_dates
from grading.course.nbgrader_plugin import course_here
from grading.course.submissions import plain_file, problem_with_id
from grading.limits import SubmissionLimits
from grading.reporting.class_report import ledger

FOLDER = "regrade"


@dataclass
class Request:
    """What a student asks, and what is known of the answer.

    Attributes:
        exercise: nothing if the file names none that there is.
        problem: why the file cannot be read.
        points: that count now, ``None`` while the answer waits for a person.
        verdict: the grader's, in a sentence.
        cases: as the student's report has them.
        history: a sentence for each attempt.
        answer: the comment that was given.
    """

    student: str
    exercise: str = ""
    reason: str = ""
    problem: str = ""
    points: float | None = None
    max_points: float = 0.0
    verdict: str = ""
    cases: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    answer: str = ""


def requests(assignment: str) -> list[Request]:
    """Read the requests about an assignment, those without an answer first."""
    coursedir = course_here().coursedir
    root = Path(coursedir.root)
    found = []
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        answers = _answers(gradebook, assignment)
        rows = ledger(gradebook, assignment)
        verdicts = {row["student"]: json.loads(row["exercises"]) for row in rows}
        for path in sorted((root / FOLDER / assignment).glob("*.txt")):
            request = _read(path, set(answers))
            found.append(request)
            if request.problem:
                continue
            for each in verdicts.get(request.student, []):
                if each["exercise"] == request.exercise:
                    request.verdict = each["message"] or each["verdict"]
            _look_up(gradebook, assignment, request, answers[request.exercise], root)
            notebook = f"{assignment.partition('_')[2]}.ipynb"
            request.cases = _cases(
                Path(coursedir.format_path(
                    coursedir.autograded_directory, request.student, assignment), notebook
                ),
                f"{request.exercise}-check",
            )  # fmt: skip
    return sorted(found, key=lambda request: (bool(request.answer), request.student))


def _answers(gradebook: Gradebook, assignment: str) -> dict[str, tuple[str, str]]:
    """By the names of exercises and written answers: the cell with the points, and the answer."""
    exercises = exercises_of(assignment)
    found = {exercise.id: (exercise.check_cell, exercise.answer_cell) for exercise in exercises}
    checks = {check for check, _ in found.values()}
    try:
        cells = [c for n in gradebook.find_assignment(assignment).notebooks for c in n.grade_cells]
    except MissingEntry:
        return found
    return found | {cell.name: (cell.name, cell.name) for cell in cells if cell.name not in checks}


def _read(path: Path, names: set[str]) -> Request:
    """Read a file: a line that names the exercise, and the reason."""
    request = Request(printable(path.stem, SubmissionLimits.id_characters))
    request.problem = problem_with_id(path.stem)
    if request.problem:
        return request
    try:
        with plain_file(path) as stream:
            content = stream.read(SubmissionLimits.request_bytes + 1)
    except OSError as error:
        request.problem = f"{path.name!a} cannot be read: {error.strerror or error}."
        return request
    text = repair.decoded(content[: SubmissionLimits.request_bytes], [])
    text = re.sub(r"[^\S\n]+", " ", sanitise.plain(text).replace("\x1b", ""))
    first, _, rest = text.strip().partition("\n")
    named = re.sub(r"(?i)^exercise *:? *", "", first).strip(" `")
    if named in names:
        request.exercise, request.reason = named, rest.strip()
    else:
        request.reason = text.strip()
        expected = ", ".join(sorted(names))
        request.problem = f"its first line names no exercise, expected one of {expected}"
    if len(content) > SubmissionLimits.request_bytes:
        request.reason += " [The file goes on.]"
    return request


def _look_up(
    gradebook: Gradebook, assignment: str, request: Request, cells: tuple[str, str], root: Path
) -> None:
    notebook = assignment.partition("_")[2]
    dates = due_dates(root)
    for number, each in enumerate(
        attempts.read(gradebook.engine, assignment=assignment, student=request.student), 1
    ):
        when = dates.shown(each.handed_in) if each.handed_in else "at an unknown time"
        mistakes = each.mistakes.get(request.exercise)
        what = "not attempted" if mistakes is None else ", ".join(mistakes) or "no named mistake"
        what = "all points" if request.exercise in each.solved else what
        what = "graded by a person" if cells[0] == cells[1] else what
        request.history.append(f"attempt {number}, {when}: {what}")
    try:
        where = notebook, assignment, request.student
        grade = gradebook.find_grade(cells[0], *where)
        comment = gradebook.find_comment(cells[1], *where)
    except MissingEntry:
        request.problem = "nothing of this student is graded"
        return
    request.max_points = grade.max_score
    request.points = None if grade.needs_manual_grade else grade.score
    request.answer = sanitise.plain(comment.manual_comment or "")


class _Lines(HTMLParser):
    """The text of a report: a line for each row and each paragraph."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("p", "tr", "pre"):
            self.lines.append("")
        elif tag in ("td", "th") and self.lines[-1]:
            self.lines[-1] += " | "

    def handle_data(self, data: str) -> None:
        self.lines[-1] += data


def _cases(notebook: Path, cell: str) -> list[str]:
    """What the student's report says of the answer, line by line."""
    if not notebook.is_file():
        return []
    for each in nbformat.read(notebook, as_version=4).cells:
        if sanitise.grade_id(each) == cell:
            parser = _Lines()
            for output in each.get("outputs", []):
                parser.feed(str(output.get("data", {}).get("text/html", "")))
            return [line.strip() for line in parser.lines if line.strip()]
    return []
