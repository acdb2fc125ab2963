"""What each subcommand of ``python -m grading`` does and prints."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import nbformat
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grading import appendix, matrix, release
from grading.check import Report, Verdict
from grading.content import assignments, exercises_of, full_name
from grading.exercise import Exercise
from grading.grade import grade_notebook
from grading.kernel import Bounds
from grading.sandbox import SandboxError

console = Console(highlight=False)


class UsageError(Exception):
    """A command that cannot be carried out, with the sentence that says why."""


def run(options: argparse.Namespace) -> int:
    """Run the subcommand that was typed and return the exit status."""
    try:
        return _COMMANDS[options.command](options)
    except (LookupError, UsageError, SandboxError) as error:
        print(f"python -m grading: {error.args[0]}", file=sys.stderr)
        return 2


# ---- exercises ---------------------------------------------------------------------------------


def _exercises(options: argparse.Namespace) -> int:
    found = [
        {"assignment": assignment, **_exercise(exercise)}
        for assignment, exercises in assignments().items()
        for exercise in exercises
    ]
    if options.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return 0
    for assignment, exercises in assignments().items():
        points = sum(exercise.points for exercise in exercises)
        minutes = sum(exercise.minutes for exercise in exercises)
        console.print(f"[bold]{assignment}[/]: {points} points, about {minutes} minutes")
        for exercise in exercises:
            difficulty = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
            console.print(
                f"  {exercise.signature}\n"
                f"      {exercise.title} · {difficulty} · {exercise.minutes} minutes · "
                f"{exercise.points} points · cell {exercise.answer_cell}",
                soft_wrap=True,
            )
    return 0


def _exercise(exercise: Exercise) -> dict[str, Any]:
    return {
        "exercise": exercise.id,
        "title": exercise.title,
        "cell": exercise.answer_cell,
        "check_cell": exercise.check_cell,
        "name": exercise.id,
        "signature": exercise.signature,
        "points": exercise.points,
        "parts": [{"title": part.title, "points": part.points} for part in exercise.parts],
        "minutes": exercise.minutes,
        "difficulty": exercise.difficulty,
    }


# ---- try ---------------------------------------------------------------------------------------


def _try(options: argparse.Namespace) -> int:
    assignment = full_name(options.assignment)
    notebook = _read_notebook(options.notebook)
    files = release.released_paths(assignment)
    bounds = Bounds(confined=not options.insecure, container=options.container)
    verdicts = grade_notebook(notebook, assignment, files=files, bounds=bounds)
    if options.json:
        result = {
            "assignment": assignment,
            "notebook": str(options.notebook),
            "points": sum(verdict.points for verdict in verdicts),
            "max_points": sum(verdict.max_points for verdict in verdicts),
            "exercises": [_verdict(verdict) for verdict in verdicts],
        }
        print(json.dumps(result, indent=2, ensure_ascii=False))
        return 0
    for verdict in verdicts:
        colour = {"correct": "green", "partly": "yellow", "not attempted": "dim"}
        headline, *rest = str(Report(verdict)).split("\n")
        console.print(f"[{colour.get(verdict.status, 'red')}]{escape(headline)}[/]")
        console.print(escape("\n".join(rest)), soft_wrap=True)
    points = sum(verdict.points for verdict in verdicts)
    most = sum(verdict.max_points for verdict in verdicts)
    console.print(f"{points:g} of {most:g} points, and what a person grades by hand.")
    return 0


def _read_notebook(path: Path) -> nbformat.NotebookNode:
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook, relax_add_props=True)
        return notebook
    except FileNotFoundError:
        raise UsageError(f"There is no file {path}.") from None
    except Exception as error:  # nbformat lets many kinds through for a file that is no notebook
        reason = str(error).partition("\n")[0][:200]
        raise UsageError(f"{path} is no notebook that can be read ({reason}).") from error


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "exercise": verdict.exercise,
        "points": verdict.points,
        "max_points": verdict.max_points,
        "verdict": verdict.status,
        "mistakes": verdict.mistakes,
        "message": " ".join([verdict.summary, *verdict.explanations, verdict.note]).strip(),
        "read_again": verdict.section,
        "cases": [vars(case) for case in verdict.cases],
    }


# ---- autograde ---------------------------------------------------------------------------------


def _autograde(options: argparse.Namespace) -> int:
    from grading.batch import command  # nbgrader and its database, which the others do without

    return command.main(options)


# ---- report ------------------------------------------------------------------------------------


def _report(options: argparse.Namespace) -> int:
    from grading import report  # nbgrader and its database, which the others do without

    assignment = full_name(options.assignment)
    try:
        found = report.class_report(assignment)
    except report.NothingToReportError as error:
        raise UsageError(str(error)) from None
    if options.json:
        print(json.dumps(report.as_json(found), indent=2, ensure_ascii=False))
        return 0
    for line in report.summary(found):
        console.print(line)
    for path in report.write(found, options.folder):
        console.print(f"wrote {path}")
    return 0


# ---- matrix ------------------------------------------------------------------------------------


def _matrix(options: argparse.Namespace) -> int:
    chosen = (
        exercises_of(options.assignment)
        if options.assignment
        else [exercise for exercises in assignments().values() for exercise in exercises]
    )
    rows = [row for exercise in chosen for row in matrix.rows(exercise, matrix.drawn(exercise))]
    wrong = [row for row in rows if not row.right]
    if options.json:
        print(json.dumps([vars(row) for row in rows], indent=2, ensure_ascii=False))
        return bool(wrong)
    table = Table("exercise", "implementation", "points", "explained as", "")
    for row in rows:
        table.add_row(
            row.exercise,
            row.name if row.kind == "mistake" else f"correct: {row.name}",
            f"{row.points:g}",
            ", ".join(row.named),
            f"[red]✗ {escape(row.problem)}[/]" if row.problem else "[green]✓[/]",
        )
    console.print(table)
    mistakes = sum(row.kind == "mistake" for row in rows)
    console.print(
        f"{mistakes} wrong implementations, {len(rows) - mistakes} correct ones, each on "
        f"{len(matrix.SEEDS)} draws of the cases: {len(wrong)} not as they should be."
    )
    return bool(wrong)


# ---- release -----------------------------------------------------------------------------------


def _release(options: argparse.Namespace) -> int:
    for name in options.assignments or assignments():
        for path in release.write_released_files(full_name(name)):
            console.print(f"wrote {path.relative_to(release.EXERCISES_FOLDER.parent)}")
    return 0


# ---- appendix ----------------------------------------------------------------------------------


def _appendix(options: argparse.Namespace) -> int:
    for path in appendix.write_pages(differences=not options.without_differences):
        console.print(f"wrote {path.relative_to(release.EXERCISES_FOLDER.parent)}")
    return 0


_COMMANDS = {
    "exercises": _exercises,
    "try": _try,
    "autograde": _autograde,
    "report": _report,
    "matrix": _matrix,
    "release": _release,
    "appendix": _appendix,
}
