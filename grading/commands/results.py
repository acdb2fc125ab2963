"""How a class did: the report, the page on the whole course, likeness, requests to look again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from grading.commands import options
from grading.commands.output import console, made, print_json
from grading.commands.program import command, option
from grading.errors import ExplainedError

if TYPE_CHECKING:
    from grading.reporting.class_report import ClassReport


@command("report", "report 01_simple_attention")
@options.assignment_or_none
@option(
    "--all",
    "whole_course",
    is_flag=True,
    help="a page on all assignments instead: who falls behind, what persists, what teaches",
)
@option("--anonymous", is_flag=True, help="with --all: numbers instead of names")
@option(
    "--book",
    default="",
    metavar="ADDRESS",
    help="with --all: where the book is, for links (default: _build/html, if it was built)",
)
@options.folder
@option(
    "--fill",
    "tables",
    type=Path,
    multiple=True,
    metavar="TABLE",
    help="also put the scores into a copy of what Canvas or Moodle exported: the gradebook, "
    "or the grading worksheet; may be repeated",
)
@options.for_programs("; no files are written")
def report(
    assignment: str | None,
    whole_course: bool,
    anonymous: bool,
    book: str,
    folder: Path,
    tables: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Show how the class did, and write a page and files for Canvas and Moodle."""
    from grading.content import full_name
    from grading.reporting import class_report

    if bool(assignment) == whole_course:
        raise ExplainedError("report: expected an assignment, or --all, and not both.")
    if not assignment:
        return _dashboard(anonymous, book, folder, as_json)
    found = class_report.class_report(full_name(assignment))
    if as_json:
        print_json(class_report.as_json(found))
        return 0
    out = console()
    for line in class_report.summary(found):
        out.print(line)
    return _write_report(found, folder, tables)


def _write_report(found: ClassReport, folder: Path, to_fill: Sequence[Path]) -> int:
    """Write the page, the files, and copies of tables; 1 if one of these lacks a student."""
    from rich.markup import escape

    from grading.platforms import tables

    out = console()
    paths, status = tables.write(found, made(folder)), 0
    for table in to_fill:
        filled = tables.filled(table, found.assignment, found.max_score, found.students)
        path = folder / f"{found.assignment}_filled_{table.name}"
        path.write_text(filled.text, encoding="utf-8", newline="")
        paths.append(path)
        if filled.without_row:
            status = 1
            names = escape(", ".join(filled.without_row))
            out.print(f"{escape(str(table))} has no row for {names}.", soft_wrap=True)
    for path in paths:
        out.print(f"wrote {escape(str(path))}", soft_wrap=True)
    for sentence in tables.sentences(found.students):
        out.print(f"[bold]{escape(sentence)}[/]", soft_wrap=True)
    return status


def _dashboard(anonymous: bool, book: str, folder: Path, as_json: bool) -> int:
    from grading.reporting import dashboard

    found = dashboard.course_report()
    if anonymous:
        found = dashboard.without_names(found)
    if as_json:
        print_json(dashboard.as_json(found))
        return 0
    built = Path("_build/html")
    if not book and (built / "index.html").is_file():
        book = Path(os.path.relpath(built, folder)).as_posix()
    path = made(folder) / f"course{'_anonymous' if anonymous else ''}.html"
    path.write_text(dashboard.page(found, book), encoding="utf-8")
    print(f"wrote {path}")
    return 0


@command("similar", "similar 01_simple_attention")
@options.assignment
@options.for_programs()
def similar(assignment: str, as_json: bool) -> int:
    """Show which answers of a class are alike in what few others wrote."""
    import dataclasses

    from rich.markup import escape

    from grading.content import full_name
    from grading.course.nbgrader_plugin import course_here
    from grading.reporting.similarity import in_course

    found = in_course(course_here().coursedir, full_name(assignment))
    if as_json:
        print_json([dataclasses.asdict(each) | {"groups": each.groups} for each in found])
        return 0
    out = console()
    for each in found:
        out.print(
            f"[bold]{each.exercise}[/]: {each.answers} answers, "
            f"{sum(map(len, each.groups))} of them alike"
        )
        for group in each.groups:
            out.print(f"  alike: {escape(', '.join(group))}", soft_wrap=True)
        for pair in each.pairs[:20]:
            one, other = pair.students
            told = f"    {one} and {other}: {pair.share:.0%} of {pair.bits:g} bits shared, such as"
            out.print(escape(told), soft_wrap=True)
            for piece in pair.shared[:4]:
                out.print(escape(f"      {piece[:160]}"), soft_wrap=True)
    out.print(
        "What is alike is a reason to read both answers, and no proof: two who learned from one "
        "page write alike, short answers say too little to be compared, and whoever rewrites "
        "thoroughly is not found."
    )
    return 0


@command("regrade", "regrade 01_simple_attention")
@options.assignment
@options.for_programs()
def regrade(assignment: str, as_json: bool) -> int:
    """List the requests to look at an answer again, with what the grader has seen."""
    from rich.markup import escape

    from grading.content import full_name
    from grading.reporting import regrade

    assignment = full_name(assignment)
    found = regrade.requests(assignment)
    if as_json:
        print_json([vars(request) for request in found])
        return 0
    if not found:
        raise ExplainedError(f"There is no request: expected {regrade.FOLDER}/{assignment}/*.txt.")
    out = console()
    for request in found:
        points = "not graded yet," if request.points is None else f"{request.points:g}"
        points = f"{points} of {request.max_points:g} points" if request.max_points else ""
        title = ", ".join(filter(None, [request.student, request.exercise, points]))
        done = "answered" if request.answer else "[yellow]not answered[/]"
        out.print(f"[bold]{escape(title)}[/]: {done}", soft_wrap=True)
        for name, lines in (
            ("problem", [request.problem]),
            ("reason", request.reason.splitlines()),
            ("verdict", [request.verdict]),
            ("cases", request.cases),
            ("history", request.history),
            ("answer", request.answer.splitlines()),
        ):
            for line in filter(None, lines):
                out.print(escape(f"  {name}: {line}"), soft_wrap=True)
    return 0
