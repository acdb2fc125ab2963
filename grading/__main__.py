"""The command line: ``python -m grading`` with a subcommand for each thing that one would ask."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nbformat
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from grading import appendix, matrix, release
from grading.batch.options import add_arguments
from grading.check import Report, Verdict
from grading.content import assignments, exercises_of
from grading.exercise import Exercise
from grading.grade import grade_notebook
from grading.kernel import Bounds
from grading.sandbox import SandboxError

console = Console(highlight=False)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)
    except (LookupError, UsageError, SandboxError) as error:
        print(f"python -m grading: {error.args[0]}", file=sys.stderr)
        return 2


class UsageError(Exception):
    """A command that cannot be carried out, with the sentence that says why."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grading", description="Grade the exercises.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable, text: str, example: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"Example: python -m grading {example}",
        )
        added.set_defaults(run=run)
        return added

    added = command("exercises", _exercises, "list every exercise", "exercises --json")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        "try",
        _try,
        "grade one notebook file, without a course or a gradebook",
        "try 01_simple_attention my_notebook.ipynb",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument("notebook", metavar="NOTEBOOK", type=Path)
    added.add_argument("--json", action="store_true", help="for programs")
    added.add_argument(
        "--insecure",
        action="store_true",
        help="run it without the sandbox: only for code that you trust as your own",
    )

    added = command(
        "autograde",
        _autograde,
        "grade all submissions of an assignment into nbgrader's gradebook",
        "autograde 01_simple_attention",
    )
    add_arguments(added)

    added = command(
        "report",
        _report,
        "show how the class did, and write a page and files for Canvas and Moodle",
        "report 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument(
        "--folder", type=Path, default=Path("reports"), help="where files go (default: reports)"
    )
    added.add_argument("--json", action="store_true", help="for programs; no files are written")

    added = command(
        "matrix",
        _matrix,
        "put every known wrong and every correct implementation through its exercise",
        "matrix 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT", nargs="?")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        "release",
        _release,
        "write the public files beside the exercises, and the appendix",
        "release",
    )
    added.add_argument("--check", action="store_true", help="write nothing, say if they are stale")
    return parser


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
    exercises_of(options.assignment)
    assignment = next(
        name for name in assignments() if options.assignment in (name, name.partition("_")[2])
    )
    notebook = _read_notebook(options.notebook)
    files = release.beside_the_notebook(assignment)
    bounds = Bounds(confined=not options.insecure)
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

    exercises_of(options.assignment)
    assignment = next(
        name for name in assignments() if options.assignment in (name, name.partition("_")[2])
    )
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
    rows = [row for exercise in chosen for row in matrix.rows(exercise)]
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
    stale = []
    for assignment in assignments():
        if options.check:
            stale += release.stale_files(assignment)
        else:
            for path in release.write_released_files(assignment):
                console.print(f"wrote {path.relative_to(release.EXERCISES_FOLDER.parent)}")
    if not options.check:
        appendix.PAGE.write_text(appendix.matrix_page(), encoding="utf-8")
    elif appendix.PAGE.read_text(encoding="utf-8") != appendix.matrix_page():
        stale.append(appendix.PAGE.name)
    if stale:
        print("Stale, run `python -m grading release`: " + ", ".join(stale), file=sys.stderr)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
