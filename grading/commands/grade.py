"""Grading: one notebook, or a class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grading.commands import options
from grading.commands.output import console, print_json
from grading.commands.program import Command, command, option

if TYPE_CHECKING:
    from grading.check import Verdict

_AUTOGRADE_ENDS = """\
Exit status: 0 if every submission has a record with points or a reason, 1 if
not, 2 if nothing could be done, 3 if changed points wait for --yes.

The command is run in the course's folder, where nbgrader_config.py is, and can
be interrupted at any time: the next run goes on.
"""


class GradingCommand(Command):
    """A command that runs notebooks in kernels, within limits that can be typed."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Add the limits, when the command is read or explained: until then nobody needs them."""
        return [*super().get_params(ctx), *options.limits()]

    def begin(self, ctx: click.Context) -> None:
        """Start the process that kernels are forked from: it imports torch while this one does."""
        typed = ctx.params
        if not (typed["insecure"] or typed["container"] or typed.get("scheduler")):
            from grading.running.launch import begin_parent

            begin_parent(typed["assignment"])


@command("try", "try 01_simple_attention my_notebook.ipynb", cls=GradingCommand)
@options.assignment
@click.argument("notebook", type=Path)
@options.for_programs()
@options.isolation
def try_notebook(
    assignment: str,
    notebook: Path,
    as_json: bool,
    insecure: bool,
    container: str,
    **limits: float | None,
) -> int:
    """Grade one notebook file, without a course or a gradebook."""
    from grading.content import full_name
    from grading.content.release import released_paths
    from grading.course import repair
    from grading.course.nbgrader_plugin import bounds_of, course_here
    from grading.course.secret import secret_if_any
    from grading.running.grade_notebook import grade_notebook

    assignment = full_name(assignment)
    notes: list[str] = []
    cells = repair.read(notebook, assignment, notes)
    course = course_here()
    bounds = bounds_of(course, limits, insecure, container)
    secret = secret_if_any(Path(course.coursedir.root))
    files = released_paths(assignment)
    verdicts = grade_notebook(cells, assignment, files=files, bounds=bounds, secret=secret)
    if as_json:
        _print_verdicts(assignment, notebook, repair.told(notes), verdicts)
    else:
        _show_verdicts(repair.told(notes), verdicts)
    return 0


def _print_verdicts(
    assignment: str, notebook: Path, notes: list[str], verdicts: list[Verdict]
) -> None:
    from grading.course.grade_submission import as_record

    print_json(
        {
            "assignment": assignment,
            "notebook": str(notebook),
            "points": sum(verdict.points for verdict in verdicts),
            "max_points": sum(verdict.max_points for verdict in verdicts),
            "notes": notes,
            "exercises": [
                {
                    **as_record(verdict),
                    "read_again": verdict.section,
                    "cases": [vars(case) for case in verdict.cases],
                }
                for verdict in verdicts
            ],
        }
    )


def _show_verdicts(notes: list[str], verdicts: list[Verdict]) -> None:
    from rich.markup import escape

    from grading.check import Report

    out = console()
    for note in notes:
        out.print(escape(note), soft_wrap=True)
    for verdict in verdicts:
        colour = {"correct": "green", "partly": "yellow", "not attempted": "dim"}
        headline, *rest = str(Report(verdict)).split("\n")
        out.print(f"[{colour.get(verdict.status, 'red')}]{escape(headline)}[/]")
        out.print(escape("\n".join(rest)), soft_wrap=True)
    points = sum(verdict.points for verdict in verdicts)
    max_points = sum(verdict.max_points for verdict in verdicts)
    out.print(f"{points:g} of {max_points:g} points, and what a person grades by hand.")


@command("autograde", "autograde 01_simple_attention", ends=_AUTOGRADE_ENDS, cls=GradingCommand)
@options.assignment
@option(
    "--student",
    "students",
    multiple=True,
    metavar="ID",
    help="only this one; may be repeated, may hold *",
)
@options.count("--jobs", "workers here (default: one a core)")
@option(
    "--scheduler",
    default="",
    metavar="ADDRESS",
    help="use a Dask cluster, such as tcp://host:8786",
)
@option(
    "--resume",
    is_flag=True,
    expose_value=False,
    help="grade only what has no record yet (the default)",
)
@option("--force", is_flag=True, excludes="resume", help="grade everything again")
@option("--yes", is_flag=True, help="write changed points without asking")
@options.for_programs()
@options.isolation
def autograde(
    assignment: str,
    students: tuple[str, ...],
    jobs: int | None,
    scheduler: str,
    force: bool,
    yes: bool,
    as_json: bool,
    insecure: bool,
    container: str,
    **limits: float | None,
) -> int:
    """Grade all submissions of an assignment into nbgrader's gradebook."""
    from grading.content import full_name
    from grading.course.autograde import RunOptions, run
    from grading.course.nbgrader_plugin import bounds_of, course_here

    course = course_here()
    bounds = bounds_of(course, limits, insecure, container)
    wanted = RunOptions(
        assignment=full_name(assignment),
        bounds=bounds,
        students=students,
        jobs=jobs,
        scheduler=scheduler,
        force=force,
        confirmed=yes,
        as_json=as_json,
    )
    return run(wanted, course)
