"""`python -m grading autograde`: what is typed, shown while it runs, and printed at the end."""

from __future__ import annotations

import argparse
import fnmatch
import json
import logging
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

from grading import sandbox
from grading.batch import submissions
from grading.batch.local import LocalWorkers
from grading.batch.record import Recorder, WriteError, patiently
from grading.batch.run import (
    AlreadyRunningError,
    Outcome,
    Run,
    Workers,
    WorkersError,
    alone,
    as_json,
)
from grading.batch.source import Source, SourceError, read_source
from grading.content import exercises_of, full_name
from grading.kernel import Bounds

SHOWN = 20  # rows of a table, problems of a list
INCOMPLETE, CANNOT, UNCONFIRMED = 1, 2, 3

console = Console(highlight=False)
to_person = Console(highlight=False, stderr=True)


def main(options: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    try:
        return _main(options)
    except (SourceError, AlreadyRunningError, sandbox.SandboxError) as error:
        print(f"python -m grading: {error}", file=sys.stderr)
        return CANNOT
    except (WriteError, WorkersError) as error:
        print(f"python -m grading: {error}", file=sys.stderr)
        return INCOMPLETE
    except KeyboardInterrupt:
        print("Interrupted. What is graded is kept; the next run goes on.", file=sys.stderr)
        return 130


def _main(options: argparse.Namespace) -> int:
    assignment = full_name(options.assignment)
    if options.jobs is not None and options.jobs < 1:
        raise SourceError(f"--jobs: found {options.jobs}, expected 1 or more.")
    if not options.insecure and not options.scheduler:
        _require_isolation(options.container)
    converter = _converter(assignment)
    coursedir = converter.coursedir
    folders = _chosen(submissions.find(coursedir, assignment), options.student)
    if not folders:
        where = coursedir.format_path(coursedir.submitted_directory, "*", assignment)
        raise SourceError(f"There is no submission: expected folders {where}.")
    with _workers(options) as workers, alone(Path(coursedir.root)):
        source = patiently(lambda: read_source(coursedir, assignment), _say)
        with patiently(lambda: Recorder(converter, source, _say), _say) as recorder:
            with _progress(options) as progress:
                task = progress.add_task(assignment, total=len(folders))
                run = Run(
                    converter, source, recorder, workers,
                    force=options.force, advance=lambda n: progress.advance(task, n),
                )  # fmt: skip
                outcome = run.grade(folders)
            if outcome.changes and _wanted(options, outcome):
                run.write_changes(folders)
            if options.json:
                rows = (
                    r for r in recorder.rows() if not options.student or r["student"] in folders
                )
                print(json.dumps(as_json(source, outcome, rows), indent=2, ensure_ascii=False))
            else:
                _summary(source, outcome)
    if outcome.pending:
        return UNCONFIRMED
    return 0 if outcome.complete else INCOMPLETE


def _require_isolation(container: str) -> None:
    if container:
        from grading.sandbox.container import image_available

        usable, reason = image_available(container)
    else:
        usable, reason = sandbox.available()
    if not usable:
        raise sandbox.SandboxError(reason)


def _converter(assignment: str) -> Autograde:
    """nbgrader's own converter, configured as it would be for `nbgrader autograde`."""
    # nbgrader starts a program of its own environment to make a gradebook
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    app = NbGrader()
    app.initialize([])
    app.log.setLevel(logging.ERROR)
    app.coursedir.assignment_id = assignment
    return Autograde(coursedir=app.coursedir, parent=app)


def _chosen(found: dict[str, Path], patterns: list[str] | None) -> dict[str, Path]:
    if not patterns:
        return found
    for pattern in patterns:
        if not fnmatch.filter(found, pattern):
            raise SourceError(f"No submission of a student {pattern!a} was found.")
    return {s: f for s, f in found.items() if any(fnmatch.fnmatchcase(s, p) for p in patterns)}


def _workers(options: argparse.Namespace) -> AbstractContextManager[Workers]:
    bounds = Bounds(confined=not options.insecure, container=options.container)
    if options.scheduler:
        from grading.batch.cluster import ClusterWorkers  # an optional package

        return ClusterWorkers(bounds, options.scheduler, _say)
    return LocalWorkers(bounds, options.jobs or _cores())


def _cores() -> int:
    """The cores that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _say(text: str) -> None:
    to_person.print(escape(text))


# ---- What is shown -----------------------------------------------------------------------------


class _Rate(ProgressColumn):
    """Submissions in a second, or in a minute where that is below one."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f} a second" if speed >= 1 else f"{speed * 60:.0f} a minute")


def _progress(options: argparse.Namespace) -> Progress:
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


def _wanted(options: argparse.Namespace, outcome: Outcome) -> bool:
    """Show whose points change, and ask."""
    table = Table("student", "recorded", "now", "", title="Points that this run changes")
    for change in sorted(outcome.changes, key=lambda change: change.student)[: 10 * SHOWN]:
        difference = change.new_points - change.old_points
        table.add_row(
            escape(change.student), f"{change.old_points:g}", f"{change.new_points:g}",
            f"[{'green' if difference > 0 else 'red'}]{difference:+g}[/]",
        )  # fmt: skip
    to_person.print(table)
    up = sum(change.new_points > change.old_points for change in outcome.changes)
    count = len(outcome.changes)
    to_person.print(f"{count} submissions change: {up} get more, {count - up} get less.")
    if options.yes:
        return True
    if sys.stdin.isatty() and sys.stderr.isatty():
        to_person.print("Write them? Manual grades and comments stay. [y/N] ", end="")
        return input().strip().lower() in ("y", "yes")
    to_person.print("Nothing of this is written. Run the command again with --yes to write it.")
    return False


def _summary(source: Source, outcome: Outcome) -> None:
    rate = outcome.graded / outcome.seconds if outcome.seconds else 0
    console.print(
        f"[bold]{source.assignment}[/]: {outcome.found} submissions, {outcome.graded} graded now "
        f"in {outcome.seconds:.0f} s ({rate:.1f} a second), {outcome.skipped} recorded before."
    )
    _list("Not graded, with the reason in their records", outcome.problems)
    _list("Without a record", outcome.unrecorded)
    notes = {student: " ".join(sentences) for student, sentences in outcome.notes.items()}
    _list("Repaired or incomplete", {s: n for s, n in notes.items() if s not in outcome.problems})
    if outcome.mistakes:
        table = Table("submissions", "exercise", "mistake", title="The commonest mistakes")
        messages = {
            (exercise.id, mistake.id): mistake.message
            for exercise in exercises_of(source.assignment)
            for mistake in exercise.mistakes
        }
        for (exercise, mistake), count in outcome.mistakes.most_common(8):
            table.add_row(str(count), exercise, escape(messages.get((exercise, mistake), mistake)))
        console.print(table)


def _list(title: str, sentences: dict[str, str]) -> None:
    if not sentences:
        return
    console.print(f"{title}: {len(sentences)}")
    for student, sentence in sorted(sentences.items())[:SHOWN]:
        console.print(f"  {escape(student)}: {escape(sentence)}", soft_wrap=True)
    if len(sentences) > SHOWN:
        console.print(f"  … and {len(sentences) - SHOWN} more (--json names them all)")
