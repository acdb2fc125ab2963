"""The course over time: who falls behind, which misconception persists, which exercise teaches.

Made of the ledger, of all attempts and of the due dates, for all assignments that were graded, as
one page that needs no script. A mistake belongs to its exercise; what it shares with those of other
chapters is its theme (:mod:`grading.reporting.themes`). What records cannot tell, the page says.
"""

from __future__ import annotations

import datetime
import html
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from grading.content import assignments
from grading.course import attempts
from grading.course.attempts import Attempt
from grading.course.deadlines import DueDates, due_dates
from grading.course.nbgrader_plugin import course_here
from grading.limits import ReportLimits
from grading.reporting import themes
from grading.reporting.class_report import NothingToReportError, expect_gradebook, ledger
from grading.reporting.themes import THEMES, Place, Theme

SHOWN = 60  # students of a table; the most urgent come first


@dataclass
class Column:
    """An assignment.

    Attributes:
        due: for people, if it has a due date.
        over: whether that is past for those without an extension.
        shares: of its points that the grader gave, by students.
        late: who handed it in after their own date.
        excused: who still has time, or whom the grader failed.
    """

    name: str
    due: str = ""
    over: bool = True
    shares: dict[str, float] = field(default_factory=dict)
    late: set[str] = field(default_factory=set)
    excused: set[str] = field(default_factory=set)

    @property
    def number(self) -> str:
        """As a head of a column."""
        return self.name.partition("_")[0].lstrip("0") or self.name

    @property
    def title(self) -> str:
        """For people."""
        return self.name.partition("_")[2].replace("_", " ").capitalize() or self.name


@dataclass
class Behind:
    """A student who may need help, and why."""

    student: str
    reasons: list[str]


@dataclass
class Persisting:
    """A theme: by assignments, who showed it and how many could have."""

    theme: Theme
    showed: dict[str, set[str]]
    could: dict[str, int]
    sections: list[Place]

    @property
    def students(self) -> list[str]:
        """Those who showed it in more than one assignment."""
        times = Counter(s for showed in self.showed.values() for s in showed)
        return sorted(student for student, count in times.items() if count > 1)


@dataclass
class Teaching:
    """An exercise that students handed in again: those wrong at first, and what became of them.

    ``gone``: whose named mistake is not there any more; ``right``: who has all points in the end.
    """

    assignment: str
    exercise: str
    wrong: int = 0
    right: int = 0
    named: int = 0
    gone: int = 0
    sections: list[Place] = field(default_factory=list)


@dataclass
class CourseReport:
    """Everything that is shown. ``unnamed`` of the ``wrong`` answers have a mistake without a name,
    ``themeless`` one without a theme.
    """

    students: list[str]
    columns: list[Column]
    behind: list[Behind]
    persisting: list[Persisting]
    teaching: list[Teaching]
    again: int = 0
    wrong: int = 0
    unnamed: int = 0
    themeless: int = 0


def course_report() -> CourseReport:
    """Read the report out of the course in the current folder.

    Raises:
        NothingToReportError: if nothing was ever graded.
    """
    coursedir = course_here().coursedir
    expect_gradebook(coursedir.db_url)
    dates = due_dates(Path(coursedir.root))
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        students = [student.id for student in gradebook.students]
        found = attempts.read(gradebook.engine)
        have = {(a.assignment, a.student, a.submission_key) for a in found}
        columns = []
        for name in assignments():
            rows = ledger(gradebook, name)
            column = _column(gradebook, name, rows, dates, now) if rows else Column(name)
            if not column.shares:
                continue
            columns.append(column)
            older = (attempts.of_row(dict(row)) for row in rows)  # graded before attempts were kept
            found += [a for a in older if (a.assignment, a.student, a.submission_key) not in have]
    if not columns:
        raise NothingToReportError(
            "Nothing is graded in this course: run `python -m grading autograde ASSIGNMENT` first."
        )
    return report_of(students, columns, found)


def _column(
    gradebook: Gradebook, name: str, rows: Iterable[Any], dates: DueDates, now: datetime.datetime
) -> Column:
    column = Column(name)
    for row in rows:
        if row["status"] in ("graded", "explained"):
            column.shares[row["student"]] = row["points"] / max(row["max_points"], 1e-9)
        elif row["status"] == "failed":  # which is the grader's fault
            column.excused.add(row["student"])
    assignment = gradebook.find_assignment(name)
    due = dates.due.get(name, assignment.duedate)
    if due is None:
        return column
    column.due, column.over = dates.shown(due), due < now
    extended = dates.extended.get(name, {})
    column.excused |= {student for student, until in extended.items() if until >= now}
    for submission in assignment.submissions:
        until = extended.get(submission.student_id, due)
        if submission.timestamp and submission.timestamp > until:
            column.late.add(submission.student_id)
    return column


def report_of(
    students: Sequence[str], columns: list[Column], found: Iterable[Attempt]
) -> CourseReport:
    """Make the report of plain values: everybody, the assignments in order, all attempts."""
    by_student: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in sorted(found, key=lambda a: a.handed_in or a.first_graded):
        by_student[attempt.assignment, attempt.student].append(_with_known_mistakes(attempt))
    report = CourseReport(
        list(students), columns, _behind(students, columns), _persisting(columns, by_student),
        _teaching(columns, by_student),
    )  # fmt: skip
    report.again = len({student for (_, student), tried in by_student.items() if len(tried) > 1})
    for (assignment, _), tried in by_student.items():
        for exercise, mistakes in tried[-1].mistakes.items():
            if exercise not in tried[-1].solved:
                report.wrong += 1
                report.unnamed += not mistakes
                report.themeless += bool(mistakes) and not themes.of(assignment, mistakes)
    return report


def _with_known_mistakes(attempt: Attempt) -> Attempt:
    mistakes = {}
    for exercise, named in attempt.mistakes.items():
        known = themes.known(attempt.assignment, exercise)
        mistakes[exercise] = [each for each in named if known.issuperset(each.split(" + "))]
    return replace(attempt, mistakes=mistakes)


def _behind(students: Sequence[str], columns: list[Column]) -> list[Behind]:
    """Those who may need help, the most urgent first."""
    found = []
    recent = {column.number for column in [column for column in columns if column.over][-2:]}
    for student in students:
        missing = [
            column.number
            for column in columns
            if column.over and student not in column.shares and student not in column.excused
        ]
        shares = [column.shares[student] for column in columns if student in column.shares]
        last, before = shares[-2:], shares[:-2]
        reasons = []
        if len(missing) > 1 or set(missing) & recent:
            reasons.append(f"not handed in: {', '.join(missing)}")
        if last and statistics.fmean(last) < ReportLimits.behind_share:
            reasons.append(f"the last {'two ' * (len(last) > 1)}at {statistics.fmean(last):.0%}")
        fall = statistics.fmean(before) - statistics.fmean(last) if before else 0.0
        if fall > ReportLimits.falling_share:
            reasons.append(f"fell from {statistics.fmean(before):.0%}")
        if reasons:
            urgency = (len(missing), -sum(shares) / max(len(shares), 1))
            found.append((urgency, student, reasons))
    found.sort(key=lambda each: (-each[0][0], -each[0][1], each[1]))
    return [Behind(student, reasons) for _, student, reasons in found]


def _persisting(
    columns: list[Column], by_student: dict[tuple[str, str], list[Attempt]]
) -> list[Persisting]:
    """The themes that anybody showed, in whatever attempt; the most persistent first."""
    rows = {theme: Persisting(theme, {}, {}, []) for theme in THEMES}
    sections: dict[Theme, Counter[str]] = {theme: Counter() for theme in THEMES}
    for column in columns:
        tried = {s: each for (name, s), each in by_student.items() if name == column.name}
        for theme, row in rows.items():
            places = themes.exercises_with(theme).get(column.name, set())
            if not places:
                continue
            could = {s for s, each in tried.items() for a in each if places & a.mistakes.keys()}
            row.could[column.name] = len(could)
            row.showed[column.name] = set()
            for student in could:
                for attempt in tried[student]:
                    for exercise in places & attempt.mistakes.keys():
                        for mistake in attempt.mistakes[exercise]:
                            if theme in themes.of(column.name, [mistake]):
                                row.showed[column.name].add(student)
                                where = themes.section(column.name, exercise, mistake)
                                sections[theme][where] += 1
    found = [row for row in rows.values() if any(row.showed.values())]
    for row in found:
        row.sections = themes.commonest(sections[row.theme], 2)
    found.sort(key=lambda row: (-len(row.students), -sum(map(len, row.showed.values()))))
    return found


def _teaching(
    columns: list[Column], by_student: dict[tuple[str, str], list[Attempt]]
) -> list[Teaching]:
    """The exercises that were wrong at first in something that was handed in again."""
    rows: dict[tuple[str, str], Teaching] = {}
    sections: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for column in columns:
        for (name, _), tried in by_student.items():
            if name != column.name or len(tried) < 2:
                continue
            last = tried[-1]
            for exercise in {e for a in tried[:-1] for e in a.mistakes}:
                place = name, exercise
                before = [a for a in tried[:-1] if exercise in a.mistakes]
                if all(exercise in a.solved for a in before):
                    continue
                row = rows.setdefault(place, Teaching(*place))
                row.wrong += 1
                row.right += exercise in last.solved
                named = {m for a in before for m in a.mistakes[exercise]}
                row.named += bool(named)
                still = named & set(last.mistakes.get(exercise, named))
                row.gone += bool(named) and not still
                sections[place].update(themes.section(name, exercise, m) for m in named)
    for place, row in rows.items():
        row.sections = themes.commonest(sections[place], 2)
    return sorted(rows.values(), key=lambda row: (row.assignment, -row.wrong, row.exercise))


def without_names(report: CourseReport) -> CourseReport:
    """The same with numbers for names, in the order in which the page has them."""
    order = dict.fromkeys([each.student for each in report.behind])
    others = sorted(
        set(report.students) - order.keys(),
        key=lambda s: [column.shares.get(s, 0.0) for column in report.columns],
    )
    called = {s: f"student {n}" for n, s in enumerate([*order, *others], 1)}

    def call(students: Iterable[str]) -> set[str]:
        return {called.get(student, "a student") for student in students}

    return CourseReport(
        [called[student] for student in [*order, *others]],
        [
            Column(
                c.name, c.due, c.over, {called.get(s, "a student"): x for s, x in c.shares.items()},
                call(c.late), call(c.excused),
            )
            for c in report.columns
        ],
        [Behind(called[each.student], each.reasons) for each in report.behind],
        [
            Persisting(p.theme, {a: call(s) for a, s in p.showed.items()}, p.could, p.sections)
            for p in report.persisting
        ],
        report.teaching, report.again, report.wrong, report.unnamed, report.themeless,
    )  # fmt: skip


# ---- As plain values -----------------------------------------------------------------------------


def as_json(report: CourseReport) -> dict[str, Any]:
    """The report as plain values."""
    return {
        "students": len(report.students),
        "assignments": [
            {
                "assignment": c.name, "due": c.due, "handed_in": len(c.shares),
                "late": sorted(c.late), "median": round(statistics.median(c.shares.values()), 3),
            }
            for c in report.columns
        ],
        "behind": [vars(each) for each in report.behind],
        "themes": [
            {
                "theme": p.theme.title,
                "showed": {name: sorted(showed) for name, showed in p.showed.items()},
                "could": p.could,
                "in_more_than_one": p.students,
                "sections": [place.title for place in p.sections],
            }
            for p in report.persisting
        ],
        "exercises": [
            vars(row) | {"sections": [place.title for place in row.sections]}
            for row in report.teaching
        ],
        "handed_in_again": report.again,
        "wrong": report.wrong,
        "wrong_without_a_name": report.unnamed,
        "named_without_a_theme": report.themeless,
    }  # fmt: skip


# ---- As a page -----------------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
  --line: light-dark(#d0d7de, #3d444d); --soft: light-dark(#57606a, #9ba5b0);
  --bar: light-dark(#c2410c, #fb923c); --good: light-dark(#0b6e4f, #4cc38a);
  --back: light-dark(#fff, #15181c); --ink: light-dark(#1f2328, #e6e9ec); }
body { max-width: 70rem; margin: 0 auto; padding: 1rem; background: var(--back);
  color: var(--ink); }
h1 { font-size: 1.6rem; margin: .5rem 0; } h2 { font-size: 1.2rem; margin: 2rem 0 .25rem; }
p { max-width: 46rem; margin: .4rem 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .75rem 0; font-size: .94rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
table { min-width: 44rem; }
th, td { padding: .35rem 1rem .35rem 0; border-bottom: 1px solid var(--line); text-align: start;
  vertical-align: top; }
thead th { white-space: nowrap; color: var(--soft); font-weight: 600; }
tbody th { font-weight: 600; min-width: 10rem; }
td.links { min-width: 15rem; }
td.number, th.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar { display: block; height: .3rem; border-radius: .15rem; background: var(--line);
  min-width: 3rem; margin-top: .15rem; }
.bar i { display: block; height: 100%; border-radius: inherit; background: var(--bar); }
.bar.good i { background: var(--good); }
.soft { color: var(--soft); }
ul { margin: .3rem 0; padding-inline-start: 1.2rem; }
td ul { margin: 0; padding: 0; list-style: none; }
a { color: light-dark(#0b57d0, #8ab4f8); }
summary { cursor: pointer; }
"""


def page(report: CourseReport, book: str = "") -> str:
    """The report as one HTML page without scripts; ``book``: the address of the book, for links."""
    body = [
        "<h1>The course so far</h1>",
        f"<p>{_sentence(report)}</p>",
        "<h2>Assignments</h2>",
        _assignments(report),
        "<h2>Who falls behind</h2>",
        _behind_table(report),
        "<h2>What persists</h2>",
        _persisting_table(report, book),
        "<h2>Which exercises teach</h2>",
        _teaching_table(report, book),
        "<h2>What this page does not know</h2>",
        _unknown(report),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<title>The course so far</title><style>{_STYLE}</style></head>\n"
        f"<body><main>{''.join(body)}</main></body></html>\n"
    )


def _sentence(report: CourseReport) -> str:
    handed_in = sum(len(column.shares) for column in report.columns)
    return (
        f"{_count(len(report.students), 'student')}, {_count(len(report.columns), 'assignment')} "
        f"graded, {_count(handed_in, 'submission')}. "
        f"{_count(report.again, 'student')} handed in more than once. Shares are of the points "
        "that the grader gives, before anything is taken off for being late."
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _assignments(report: CourseReport) -> str:
    everybody = len(report.students)
    rows = []
    for c in report.columns:
        share = len(c.shares) / max(everybody, 1)
        median = statistics.median(c.shares.values())
        rows.append([
            _number(c.number), _head(c.title), _cell(c.due or "no date"),
            _number(f"{len(c.shares)} of {everybody}", share, good=True),
            _number(str(len(c.late)) if c.due else "not known"),
            _number(f"{median:.0%}", median, good=True),
        ])  # fmt: skip
    heads = ["", "assignment", "due", "handed in", "late", "median"]
    return _table("Assignments", heads, rows, numbers=(0, 3, 4, 5))


def _behind_table(report: CourseReport) -> str:
    told = (
        "A student is listed who has not handed in one of the last two assignments that were due, "
        "or two of all of them, or whose own last two are "
        f"below {ReportLimits.behind_share:.0%} on average, or more than "
        f"{100 * ReportLimits.falling_share:.0f} points below those before. The most urgent come "
        "first."
    )
    if not report.behind:
        return f"<p>Nobody. {told}</p>"
    rows = []
    for each in report.behind[:SHOWN]:
        row = [_head(each.student), _cell("; ".join(each.reasons))]
        for c in report.columns:
            share = c.shares.get(each.student)
            if share is not None:
                row.append(_number(f"{share:.0%}", share, good=True))
            else:
                still = each.student in c.excused or not c.over
                row.append(_number("not yet" if still else "missing"))
        rows.append(row)
    heads = ["student", "why", *(c.number for c in report.columns)]
    more = len(report.behind) - SHOWN
    tail = f"<p>And {more} more.</p>" if more > 0 else ""
    return f"<p>{told}</p>" + _table(
        "Who falls behind", heads, rows, numbers=range(2, len(heads))
    ) + tail  # fmt: skip


def _persisting_table(report: CourseReport, book: str) -> str:
    if not report.persisting:
        return "<p>No mistake was named that other chapters know, too.</p>"
    rows = []
    for p in report.persisting:
        row = [_head(p.theme.title)]
        for c in report.columns:
            could = p.could.get(c.name)
            if could is None:
                row.append("<td></td>")
            else:
                count = len(p.showed.get(c.name, ()))
                row.append(_number(f"{count} of {could}", count / max(could, 1)))
        who = html.escape(", ".join(p.students[:SHOWN]))
        several = (
            f"<details><summary>{_count(len(p.students), 'student')}</summary>{who}</details>"
            if p.students
            else '<span class="soft">nobody</span>'
        )
        row += [f"<td>{several}</td>", f"<td class=links>{_links(p.sections, book)}</td>"]
        rows.append(row)
    heads = ["misconception", *(c.number for c in report.columns), "more than once", "read again"]
    return (
        "<p>How many showed it, of those who attempted an exercise in which it can show; an empty "
        "cell is an assignment in which it cannot. “More than once” are those who showed it in "
        "more than one assignment.</p>"
    ) + _table("What persists", heads, rows, numbers=range(1, len(report.columns) + 1))


def _teaching_table(report: CourseReport, book: str) -> str:
    if not report.teaching:
        return (
            "<p>No wrong answer was followed by another attempt, so there is nothing to compare. "
            "Attempts are kept since the first run of this version of the course.</p>"
        )
    rows = [
        [
            _head(row.exercise), _number(row.assignment.partition("_")[0].lstrip("0")),
            _number(str(row.wrong)),
            _number(f"{row.right} of {row.wrong}", row.right / row.wrong, good=True),
            _number(f"{row.gone} of {row.named}" if row.named else "",
                    row.gone / row.named if row.named else None, good=True),
            f"<td class=links>{_links(row.sections, book)}</td>",
        ]
        for row in report.teaching
    ]  # fmt: skip
    heads = ["exercise", "in", "wrong at first", "right in the end", "mistake gone", "read again"]
    return (
        "<p>Of those who handed in again after a wrong answer: how many have all points in the "
        "end, and how many no longer show the mistake that was named. Students who hand in again "
        "are not a random sample of the class, and they have read the feedback.</p>"
    ) + _table("Which exercises teach", heads, rows, numbers=(1, 2, 3, 4))


def _unknown(report: CourseReport) -> str:
    lines = [
        f"Of {_count(report.wrong, 'wrong answer')} in last submissions, {report.unnamed} have a "
        "mistake without a name, and so do not count above.",
        f"{report.themeless} have a named mistake that belongs to one exercise alone, and so "
        "cannot persist.",
        "A misconception that is not seen again may be gone, or its owner may have copied, "
        "guessed, or skipped the exercise.",
    ]
    undated = [c.number for c in report.columns if not c.due]
    if undated:
        lines.append(
            f"Without a due date, as for {', '.join(undated)}, whatever is not there counts as "
            "missing, and nobody is late."
        )
    return f"<ul>{''.join(f'<li>{html.escape(line)}</li>' for line in lines)}</ul>"


def _links(places: list[Place], book: str) -> str:
    items = []
    for place in places:
        title = html.escape(f"{place.title} (chapter {place.chapter})")
        if book:
            address = html.escape(f"{book.rstrip('/')}/{place.address}", quote=True)
            title = f'<a href="{address}">{title}</a>'
        items.append(f"<li>{title}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else ""


def _head(text: str) -> str:
    return f'<th scope="row">{html.escape(text)}</th>'


def _cell(text: str) -> str:
    return f"<td>{html.escape(text)}</td>"


def _number(text: str, share: float | None = None, good: bool = False) -> str:
    bar = ""
    if share is not None:
        kind = "bar good" if good else "bar"
        bar = f'<span class="{kind}"><i style="width: {100 * share:.0f}%"></i></span>'
    return f'<td class="number">{html.escape(text)}{bar}</td>'


def _table(
    caption: str, heads: list[str], rows: list[list[str]], numbers: Iterable[int] = ()
) -> str:
    right = set(numbers)
    cells = "".join(
        f'<th scope="col"{" class=number" if n in right else ""}>{html.escape(head)}</th>'
        if head
        else "<td></td>"
        for n, head in enumerate(heads)
    )
    lines = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    label = html.escape(caption, quote=True)
    return (
        f'<div class="wide" role="region" aria-label="{label}" tabindex="0"><table>'
        f"<caption>{html.escape(caption)}</caption><thead><tr>{cells}</tr></thead>"
        f"<tbody>{lines}</tbody></table></div>"
    )
