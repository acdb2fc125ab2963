"""The class at a glance: what was hard, which mistakes were common, who has not handed in.

Numbers come from the gradebook and from the ledger that ``python -m grading autograde`` keeps in
it. They are shown as a table in the terminal, as one HTML page that needs nothing else, and as
files that Canvas and Moodle import.
"""

from __future__ import annotations

import html
import io
import json
import re
import statistics
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import matplotlib
import sqlalchemy
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from nbgrader.api import Gradebook, MissingEntry
from rich.markup import escape as escape_markup
from rich.table import Table

from grading.content import exercises_of, mistakes_of
from grading.course import attempts, identities
from grading.course.deadlines import DueDates, PenaltiesByDate, changes, due_dates, late_by
from grading.course.gradebook import LEDGER
from grading.course.nbgrader_plugin import course_here
from grading.errors import ExplainedError
from grading.exercise import Exercise, Mistake
from grading.limits import ReportLimits
from grading.reporting.student import Student


class NothingToReportError(ExplainedError):
    """There are no grades; the sentence says what to do."""


@dataclass
class ExerciseReport:
    """How an exercise went: attempts, points of each attempt, how often each mistake was named.

    ``more``: the mistakes that only its variants have.
    """

    exercise: Exercise
    points: list[float] = field(default_factory=list)
    not_attempted: int = 0
    mistakes: Counter[str] = field(default_factory=Counter)
    unnamed: int = 0
    more: list[Mistake] = field(default_factory=list)

    @property
    def solved(self) -> float:
        """The share of the attempts that earned all points."""
        return sum(p == self.exercise.points for p in self.points) / max(len(self.points), 1)

    @property
    def verdict(self) -> str:
        """``too hard``, ``too easy`` or nothing."""
        if len(self.points) < ReportLimits.fewest_attempts:
            return ""
        if self.solved < ReportLimits.too_hard:
            return "too hard"
        return "too easy" if self.solved > ReportLimits.too_easy else ""

    def message(self, mistake: str) -> str:
        """The sentences that students read about a mistake, or about two at once."""
        known = {m.id: m.message for m in (*self.more, *self.exercise.mistakes)}
        return " And: ".join(known.get(part, part) for part in mistake.split(" + "))


@dataclass
class ClassReport:
    """Everything that is shown.

    ``rule``: what being late costs. ``stale``: whose penalty is not what the dates say by now.
    """

    assignment: str
    max_score: float
    students: list[Student]
    exercises: list[ExerciseReport]
    problems: dict[str, str]
    rule: str = ""
    stale: list[str] = field(default_factory=list)

    @property
    def scores(self) -> list[float]:
        """The final scores of those who handed in."""
        return [student.score for student in self.students if student.score is not None]

    @property
    def missing(self) -> list[str]:
        """Those who have not handed in."""
        return [student.id for student in self.students if student.score is None]


def class_report(assignment: str) -> ClassReport:
    """Read the report of an assignment out of the course in the current folder.

    Raises:
        NothingToReportError: if the assignment was never graded.
    """
    course = course_here()
    coursedir = course.coursedir
    expect_gradebook(coursedir.db_url)
    found = identities.collected(Path(coursedir.root), assignment)
    dates, step = due_dates(Path(coursedir.root)), PenaltiesByDate(parent=course)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        rows = ledger(gradebook, assignment)
        problems = {row["student"]: row["problem"] for row in rows if row["problem"]}
        students = [
            _student(gradebook, assignment, student, dates) for student in gradebook.students
        ]
        times = Counter(a.student for a in attempts.read(gradebook.engine, assignment=assignment))
        for student in students:
            student.attempts = times[student.id]
            student.problem = problems.get(student.id, "")
            student.origin = found.get(student.id)
        students.sort(key=lambda s: (s.sort_name.casefold(), s.id))
        if not rows and all(student.score is None for student in students):
            raise NothingToReportError(
                f"Nothing of {assignment} is graded in this course: run `python -m grading "
                f"autograde {assignment}` first."
            )
        return ClassReport(
            assignment,
            gradebook.find_assignment(assignment).max_score,
            students,
            _exercises(assignment, rows),
            problems,
            step.rule(),
            [change.student for change in changes(gradebook, dates, step, [assignment])],
        )


def expect_gradebook(db_url: str) -> None:
    """Refuse to look into a file that is not there, for that would make it.

    Raises:
        NothingToReportError: if it is not there.
    """
    url = sqlalchemy.make_url(db_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise NothingToReportError(
            f"Nothing is graded here, for there is no gradebook {url.database}: run this in the "
            "course's folder, after `python -m grading autograde ASSIGNMENT`."
        )


def ledger(gradebook: Gradebook, assignment: str) -> list[Any]:
    """The records of an assignment's submissions that count, of those our own command graded."""
    if not sqlalchemy.inspect(gradebook.engine).has_table(LEDGER.name):
        return []
    with gradebook.engine.connect() as connection:
        query = sqlalchemy.select(LEDGER).where(LEDGER.c.assignment == assignment)
        return list(connection.execute(query).mappings())


def _student(gradebook: Gradebook, assignment: str, student: Any, dates: DueDates) -> Student:
    first, last = student.first_name or "", student.last_name or ""
    name = " ".join(part for part in (first, last) if part)
    found = Student(
        student.id, name, student.email or "", student.lms_user_id or "", None, False,
        sort_name=f"{last} {first}".strip() or student.id,
    )  # fmt: skip
    try:
        submission = gradebook.find_submission(assignment, student.id)
    except MissingEntry:
        return found
    found.penalty = submission.late_submission_penalty or 0.0
    found.score = max(0.0, submission.score - found.penalty)
    found.waits = submission.needs_manual_grade
    if submission.duedate:
        found.due, found.extended = dates.shown(submission.duedate), bool(submission.extension)
    if submission.timestamp:
        found.handed_in = dates.shown(submission.timestamp)
        found.handed_in_utc = f"{submission.timestamp.isoformat(timespec='milliseconds')}Z"
    if submission.total_seconds_late:
        found.late_by = late_by(submission.total_seconds_late)
    checked = {exercise.check_cell: exercise.id for exercise in exercises_of(assignment)}
    for grade in (grade for notebook in submission.notebooks for grade in notebook.grades):
        name = checked.get(grade.name, grade.name)
        found.points[name] = None if grade.needs_manual_grade else grade.score
    return found


def _exercises(assignment: str, rows: list[Any]) -> list[ExerciseReport]:
    found = {exercise.id: ExerciseReport(exercise) for exercise in exercises_of(assignment)}
    for (exercise, _), mistake in mistakes_of(assignment).items():
        found[exercise].more.append(mistake)
    for row in rows:
        for verdict in json.loads(row["exercises"]):
            report = found.get(verdict["exercise"])
            if report is None:  # of an earlier version of the assignment
                continue
            if verdict["verdict"] == "not attempted":
                report.not_attempted += 1
                continue
            report.points.append(verdict["points"])
            report.mistakes.update(verdict["mistakes"])
            report.unnamed += verdict["verdict"] != "correct" and not verdict["mistakes"]
    return list(found.values())


# ---- As plain values, for programs and for other systems ----------------------------------------


def as_json(report: ClassReport) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "assignment": report.assignment,
        "max_score": report.max_score,
        "students": [asdict(s) | {"status": s.status} for s in report.students],
        "not_submitted": report.missing,
        "problems": report.problems,
        "late_rule": report.rule,
        "penalties_out_of_date": report.stale,
        "exercises": [
            {
                "exercise": each.exercise.id,
                "max_points": each.exercise.points,
                "attempts": len(each.points),
                "not_attempted": each.not_attempted,
                "mean": _mean(each.points),
                "solved": round(each.solved, 3),
                "verdict": each.verdict,
                "mistakes": dict(each.mistakes.most_common()),
                "wrong_without_a_name": each.unnamed,
            }
            for each in report.exercises
        ],
    }


# ---- In the terminal -----------------------------------------------------------------------------


def summary(report: ClassReport) -> Iterator[Table | str]:
    """What the terminal shows: sentences and tables for rich."""
    yield f"[bold]{report.assignment}[/]: {_sentence(report)}"
    heads, *rows = _exercise_rows(report)
    table = Table(*heads)
    for row in rows:
        table.add_row(*row)
    yield table
    rows = _mistake_rows(report, max_rows=8)
    if rows:
        table = Table(*_MISTAKE_HEADS, title="The commonest mistakes")
        for row in rows:
            table.add_row(*map(escape_markup, row))
        yield table
    rows = _late_rows(report)
    if rows:
        table = Table(*_LATE_HEADS, title="Late, or with more time")
        for row in rows:
            table.add_row(*map(escape_markup, row))
        yield table
        yield escape_markup(report.rule)
    if report.stale:
        yield escape_markup(_stale(report))
    if report.missing:
        yield f"Not handed in: {escape_markup(', '.join(report.missing))}"
    if report.problems:
        yield f"Could not be graded: {escape_markup(', '.join(sorted(report.problems)))}"


# ---- As a page -----------------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: start; font-weight: 600; }
th, td { padding: 0.3rem 0.8rem; border-bottom: 1px solid #8888; text-align: start; }
td.number { text-align: end; font-variant-numeric: tabular-nums; }
figure { margin: 1rem 0; } svg { max-width: 100%; height: auto; }
"""


def page(report: ClassReport) -> str:
    """The report as one HTML page without scripts, and without anything from elsewhere."""
    escape = html.escape
    submitted = len(report.scores)
    body = [f"<h1>{escape(report.assignment)}</h1>", f"<p>{escape(_sentence(report))}</p>"]
    if submitted:
        half = _histogram_text(report)
        body.append(_figure(_histogram(report), half, caption=half))
        body.append(_figure(_bars(report), _bars_text(report)))
    heads, *rows = _exercise_rows(report)
    body.append(_table("Exercises", heads, rows, numbers=range(1, 6)))
    rows = _mistake_rows(report)
    if rows:
        body.append(_table("The commonest mistakes", _MISTAKE_HEADS, rows, numbers=[0]))
    rows = _late_rows(report)
    if rows:
        body.append(_table("Late, or with more time", _LATE_HEADS, rows, numbers=[4]))
        body.append(f"<p>{escape(report.rule)}</p>")
    if report.stale:
        body.append(f"<p>{escape(_stale(report))}</p>")
    if report.missing:
        body.append(f"<h2>Not handed in</h2><p>{escape(', '.join(report.missing))}</p>")
    if report.problems:
        rows = [list(item) for item in sorted(report.problems.items())]
        body.append(_table("Could not be graded", ["student", "reason"], rows))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>{escape(report.assignment)}: the class at a glance</title>"
        f"<style>{_STYLE}</style></head>\n<body><main>{''.join(body)}</main></body></html>\n"
    )


_EXERCISE_HEADS = ["exercise", "points", "attempts", "not attempted", "mean", "solved", "note"]
_MISTAKE_HEADS = ["submissions", "exercise", "mistake"]


def _exercise_rows(report: ClassReport) -> list[list[str]]:
    """The heads and a row for each exercise; without the last column where it would be empty."""
    rows = [
        [
            each.exercise.id,
            str(each.exercise.points),
            str(len(each.points)),
            str(each.not_attempted),
            f"{_mean(each.points):.1f}",
            f"{each.solved:.0%}",
            each.verdict,
        ]
        for each in report.exercises
    ]
    columns = len(_EXERCISE_HEADS) - (not any(row[-1] for row in rows))
    return [row[:columns] for row in (_EXERCISE_HEADS, *rows)]


def _mistake_rows(report: ClassReport, max_rows: int = 15) -> list[list[str]]:
    found = [
        (count, each.exercise.id, each.message(mistake))
        for each in report.exercises
        for mistake, count in each.mistakes.items()
    ]
    found.sort(key=lambda row: (-row[0], row[1:]))
    return [[str(count), *rest] for count, *rest in found[:max_rows]]


_LATE_HEADS = ["student", "due", "handed in", "late by", "points less"]


def _late_rows(report: ClassReport) -> list[list[str]]:
    return [
        [
            student.id,
            f"{student.due}, extended" if student.extended else student.due,
            student.handed_in,
            student.late_by or "in time",
            f"{student.penalty:g}" if student.penalty else "",
        ]
        for student in report.students
        if student.late_by or (student.extended and student.handed_in)
    ]


def _stale(report: ClassReport) -> str:
    whose = "penalty of" if len(report.stale) == 1 else "penalties of"
    return (
        f"The {whose} {', '.join(report.stale)} would be other ones by now, for dates, the rule or "
        "points have changed: run `python -m grading dates`."
    )


def _sentence(report: ClassReport) -> str:
    scores = report.scores
    waiting = sum(student.waits for student in report.students)
    parts = [f"{len(scores)} of {len(report.students)} students handed in."]
    if scores:
        parts.append(
            f"Median {statistics.median(scores):g}, mean {statistics.fmean(scores):.1f} of "
            f"{report.max_score:g} points, from {min(scores):g} to {max(scores):g}."
        )
    if waiting:
        wait = "waits" if waiting == 1 else "wait"
        parts.append(f"{waiting} {wait} for answers to be graded by hand.")
    return " ".join(parts)


def _table(
    caption: str, heads: list[str], rows: list[list[str]], numbers: Collection[int] = ()
) -> str:
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in heads)
    lines = []
    for row in rows:
        cells = [
            f"<td{' class=number' if place in numbers else ''}>{html.escape(text)}</td>"
            for place, text in enumerate(row)
        ]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _figure(figure: Figure, text: str, caption: str = "") -> str:
    """The figure as SVG, with ``text`` in its place for whoever does not see it."""
    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "report"}):
        figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
    svg = file.getvalue()
    svg = svg[svg.index("<svg") :].replace("#000000", "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    label = html.escape(text, quote=True)
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{label}" fill="currentColor"', 1)
    below = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
    return f"<figure>{svg}{below}</figure>"


def _histogram(report: ClassReport) -> Figure:
    figure = Figure(figsize=(7, 2.6), layout="constrained")
    axes = figure.subplots()
    bins = [report.max_score * step / 10 for step in range(11)]
    axes.hist(report.scores, bins=bins, color="#0072B2", edgecolor="white")
    axes.set(xlabel="score", ylabel="students", title="Scores")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _histogram_text(report: ClassReport) -> str:
    half = sum(score >= report.max_score / 2 for score in report.scores)
    return f"{half} of {len(report.scores)} have at least half of the points."


def _bars(report: ClassReport) -> Figure:
    figure = Figure(figsize=(7, 0.9 + 0.5 * len(report.exercises)), layout="constrained")
    axes = figure.subplots()
    left = [0.0] * len(report.exercises)
    names = [each.exercise.id for each in report.exercises]
    for label, colour, hatch, count in (
        ("all points", "#009E73", "", _solved),
        ("some", "#E69F00", "//", _partly),
        ("none", "#D55E00", "xx", _wrong),
        ("not attempted", "#999999", "..", lambda each: each.not_attempted),
    ):
        widths = [count(each) for each in report.exercises]
        axes.barh(names, widths, left=left, color=colour, hatch=hatch, label=label, edgecolor="w")
        left = [start + width for start, width in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set(xlabel="submissions", title="Exercises")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    return figure


def _bars_text(report: ClassReport) -> str:
    return "; ".join(
        f"{each.exercise.id}: {_solved(each)} with all points, {_partly(each)} with some, "
        f"{_wrong(each)} with none, {each.not_attempted} not attempted"
        for each in report.exercises
    )


def _solved(each: ExerciseReport) -> int:
    return sum(points == each.exercise.points for points in each.points)


def _partly(each: ExerciseReport) -> int:
    return sum(0 < points < each.exercise.points for points in each.points)


def _wrong(each: ExerciseReport) -> int:
    return sum(points == 0 for points in each.points)


def _mean(numbers: list[float]) -> float:
    return round(statistics.fmean(numbers), 3) if numbers else 0.0
