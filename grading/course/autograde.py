"""`python -m grading autograde`: what is typed, shown while it runs, and printed at the end."""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path

from nbgrader.apps.baseapp import NbGrader
from nbgrader.converters import Autograde
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from grading.content import mistakes_of
from grading.course import submissions
from grading.course.assigned_variants import Variants, with_variants
from grading.course.assignment import CourseNotReadyError, ReleasedAssignment, read_released
from grading.course.deadlines import due_dates
from grading.course.grade_class import (
    Change,
    GradingRun,
    RunSummary,
    Workers,
    WorkersError,
    as_json,
    exclusive_lock,
)
from grading.course.gradebook import Recorder, WriteError, retry_while_locked
from grading.course.local import LocalWorkers
from grading.course.secret import course_secret
from grading.running import sandbox
from grading.running.kernel import Bounds
from grading.running.temporary import run_folder

SHOWN = 20  # rows of a table, problems of a list
INCOMPLETE, UNCONFIRMED, INTERRUPTED = 1, 3, 130  # exit statuses; 2 is a refusal

console = Console(highlight=False, emoji=False)
to_person = Console(highlight=False, emoji=False, stderr=True)


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """What a run was asked to do.

    Attributes:
        assignment: its name, with the number.
        bounds: what a submission may use.
        students: patterns of their ids; everybody if there are none.
        jobs: workers on this machine; one a core if it is not said.
        scheduler: address of the cluster that grades instead.
        force: grade again what has a record.
        confirmed: write points that change without asking.
        as_json: print the results for programs.
    """

    assignment: str
    bounds: Bounds
    students: tuple[str, ...] = ()
    jobs: int | None = None
    scheduler: str = ""
    force: bool = False
    confirmed: bool = False
    as_json: bool = False


def run(options: RunOptions, course: NbGrader) -> int:
    """Run the command and return the exit status.

    Raises:
        ExplainedError: if nothing can be done.
    """
    try:
        return _run(options, course)
    except (WriteError, WorkersError) as error:
        print(f"python -m grading: {error}", file=sys.stderr)
        return INCOMPLETE
    except KeyboardInterrupt:
        print("Interrupted. What is graded is kept; the next run goes on.", file=sys.stderr)
        return INTERRUPTED


def _run(options: RunOptions, course: NbGrader) -> int:
    assignment, bounds = options.assignment, options.bounds
    due_dates(Path(course.coursedir.root))  # nobody is graded by a file that is wrong
    if bounds.confined and not options.scheduler:
        _require_isolation(bounds.container)
    converter = converter_of(course, assignment)
    coursedir = converter.coursedir
    folders = _chosen(submissions.find(coursedir, assignment), options.students)
    if not folders:
        where = coursedir.format_path(coursedir.submitted_directory, "*", assignment)
        raise CourseNotReadyError(f"There is no submission: expected folders {where}.")
    with (
        run_folder(),
        _workers(options) as workers,
        exclusive_lock(Path(coursedir.root)),
    ):
        root = Path(coursedir.root)
        base = retry_while_locked(lambda: read_released(coursedir, assignment), _log)
        released = with_variants(base, root, Variants(parent=course).another)
        released = dataclasses.replace(released, secret=course_secret(root, _log))
        with retry_while_locked(
            lambda: Recorder(converter, released, _log, bounds), _log
        ) as recorder:
            with _progress() as progress:
                task = progress.add_task(assignment, total=len(folders))
                run = GradingRun(
                    converter, released, recorder, workers,
                    force=options.force, advance=lambda n: progress.advance(task, n),
                )  # fmt: skip
                summary = run.grade(folders)
            if summary.changes and _wanted(summary, options.confirmed):
                run.write_changes(folders)
            if options.as_json:
                rows = (
                    r for r in recorder.rows() if not options.students or r["student"] in folders
                )
                print(json.dumps(as_json(released, summary, rows), indent=2, ensure_ascii=False))
            else:
                _show(released, summary)
    if summary.pending:
        return UNCONFIRMED
    return 0 if summary.complete else INCOMPLETE


def _require_isolation(container: str) -> None:
    if container:
        from grading.running.sandbox.container import image_available

        usable, reason = image_available(container)
    else:
        usable, reason = sandbox.available()
    if not usable:
        raise sandbox.SandboxError(reason)


def converter_of(course: NbGrader, assignment: str) -> Autograde:
    """nbgrader's own converter, configured as it would be for `nbgrader autograde`."""
    # nbgrader starts a program of its own environment to make a gradebook
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    course.coursedir.assignment_id = assignment
    return Autograde(coursedir=course.coursedir, parent=course)


def _chosen(found: dict[str, Path], patterns: tuple[str, ...]) -> dict[str, Path]:
    if not patterns:
        return found
    for pattern in patterns:
        if not fnmatch.filter(found, pattern):
            raise CourseNotReadyError(f"No submission of a student {pattern!a} was found.")
    return {s: f for s, f in found.items() if any(fnmatch.fnmatchcase(s, p) for p in patterns)}


def _workers(options: RunOptions) -> AbstractContextManager[Workers]:
    if options.scheduler:
        from grading.course.cluster import ClusterWorkers  # an optional package

        return ClusterWorkers(options.bounds, options.scheduler, _log)
    return LocalWorkers(options.bounds, options.jobs or _cores())


def _cores() -> int:
    """The cores that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _log(text: str) -> None:
    to_person.print(escape(text))


# ---- What is shown -----------------------------------------------------------------------------


class _Rate(ProgressColumn):
    """Submissions in a second, or in a minute where that is below one."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f} a second" if speed >= 1 else f"{speed * 60:.0f} a minute")


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=to_person,
        speed_estimate_period=120,
    )


def _wanted(summary: RunSummary, confirmed: bool) -> bool:
    """Show whose points change, and ask."""
    table = Table("student", "recorded", "now", "", title="Points that this run changes")
    for change in sorted(summary.changes, key=lambda change: change.student)[: 10 * SHOWN]:
        table.add_row(*_points(change))
    to_person.print(table)
    up = sum(change.new_points > change.old_points for change in summary.changes)
    count = len(summary.changes)
    changes = "submission changes" if count == 1 else "submissions change"
    to_person.print(f"{count} {changes}: {up} get more, {count - up} get less.")
    if confirmed:
        return True
    if sys.stdin.isatty() and sys.stderr.isatty():
        to_person.print("Write them? Manual grades and comments stay. [y/N] ", end="")
        return input().strip().lower() in ("y", "yes")
    to_person.print("Nothing of this is written. Run the command again with --yes to write it.")
    return False


def _points(change: Change) -> tuple[str, str, str, str]:
    difference = change.new_points - change.old_points
    colour = "green" if difference > 0 else "red" if difference else "dim"
    return (
        escape(change.student), f"{change.old_points:g}", f"{change.new_points:g}",
        f"[{colour}]{difference:+g}[/]",
    )  # fmt: skip


def _show_again(changes: list[Change]) -> None:
    """Those who handed in again: old and new points, and what a person gave to older answers."""
    if not changes:
        return
    table = Table("student", "recorded", "now", "", "given by hand before, set aside",
                  title="Handed in again")  # fmt: skip
    for change in sorted(changes, key=lambda change: change.student)[: 10 * SHOWN]:
        aside = ", ".join(f"{cell} {points:g}" for cell, points in change.set_aside.items())
        student, before, now, difference = _points(change)
        if change.kept:
            now, difference = f"({now})", "[dim]the older one counts[/]"
        table.add_row(student, before, now, difference, escape(aside))
    console.print(table)
    if any(change.set_aside for change in changes):
        console.print(
            "What was given by hand to an answer that is another one now does not count any more. "
            "Look at these again in formgrader; comments are still there."
        )


def _show(released: ReleasedAssignment, summary: RunSummary) -> None:
    rate = summary.graded / summary.seconds if summary.seconds else 0
    console.print(
        f"[bold]{released.assignment}[/]: {summary.found} submission"
        f"{'' if summary.found == 1 else 's'}, {summary.graded} graded now "
        f"in {summary.seconds:.0f} s ({rate:.1f} a second), {summary.skipped} recorded before."
    )
    _show_again(summary.again)
    _list("Not graded, with the reason in their records", summary.problems)
    _list("Without a record", summary.unrecorded)
    notes = {student: " ".join(sentences) for student, sentences in summary.notes.items()}
    _list("Repaired or incomplete", {s: n for s, n in notes.items() if s not in summary.problems})
    if summary.mistakes:
        table = Table("submissions", "exercise", "mistake", title="The commonest mistakes")
        known = mistakes_of(released.assignment)
        for (exercise, mistake), count in summary.mistakes.most_common(8):
            named = known.get((exercise, mistake))
            table.add_row(str(count), exercise, escape(named.message if named else mistake))
        console.print(table)


def _list(title: str, sentences: dict[str, str]) -> None:
    if not sentences:
        return
    console.print(f"{title}: {len(sentences)}")
    for student, sentence in sorted(sentences.items())[:SHOWN]:
        console.print(f"  {escape(student)}: {escape(sentence)}", soft_wrap=True)
    if len(sentences) > SHOWN:
        console.print(f"  … and {len(sentences) - SHOWN} more (--json names them all)")
