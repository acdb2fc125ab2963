"""What students get, and until when: exercises, release, variants, dates."""

from __future__ import annotations

import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grading.commands import options
from grading.commands.output import console, print_json
from grading.commands.program import command, option
from grading.errors import ExplainedError

if TYPE_CHECKING:
    from grading.course.deadlines import Change, DueDates
    from grading.exercise import Exercise


@command("exercises", "exercises --json")
@options.for_programs()
def exercises(as_json: bool) -> int:
    """List every exercise."""
    from grading.content import assignments
    from grading.content.release import by_hand_and_minutes

    if as_json:
        print_json(
            [
                {"assignment": assignment, **_for_programs(exercise)}
                for assignment, found in assignments().items()
                for exercise in found
            ]
        )
        return 0
    out = console()
    for assignment, found in assignments().items():
        points = sum(exercise.points for exercise in found)
        by_hand, minutes = by_hand_and_minutes(assignment)
        out.print(
            f"[bold]{assignment}[/]: {points + by_hand:g} points, {by_hand:g} of them for a "
            f"written answer, about {minutes} minutes"
        )
        for exercise in found:
            difficulty = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
            out.print(
                f"  {exercise.signature}\n"
                f"      {exercise.title} · {difficulty} · {exercise.minutes} minutes · "
                f"{exercise.points} points · cell {exercise.answer_cell}",
                soft_wrap=True,
            )
    return 0


def _for_programs(exercise: Exercise) -> dict[str, Any]:
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


@command("release", "release 01_simple_attention")
@click.argument("assignments", nargs=-1, metavar="[ASSIGNMENT]...", help="default: all")
@options.count("--jobs", "at once (default: one a core)")
def release(assignments: tuple[str, ...], jobs: int | None) -> int:
    """Write what is released beside the notebooks (`make exercises` does when it is needed)."""
    from grading import content
    from grading.content.release import EXERCISES_FOLDER, write_released_files
    from grading.running.forks import forked_pool

    names = [content.full_name(name) for name in assignments or content.assignments()]
    names.reverse()  # the later ones take longest
    with forked_pool(jobs) as pool:
        for paths in pool.map(write_released_files, names):
            for path in paths:
                print(f"wrote {path.relative_to(EXERCISES_FOLDER.parent)}")
    return 0


@command("variants", "variants 06_encoder")
@options.assignment
@options.folder
def variants(assignment: str, folder: Path) -> int:
    """Make the variants of an assignment, and an archive for each student."""
    import torch

    from grading.content import full_name
    from grading.course import handout
    from grading.course.nbgrader_plugin import course_here

    torch.set_num_threads(1)
    packed = handout.hand_out(course_here().coursedir, full_name(assignment), folder)
    shares = ", ".join(f"{which} for {packed.counts[which]}" for which in sorted(packed.counts))
    print(f"wrote {packed.folder}/STUDENT.zip: {shares}")
    print(f"wrote {packed.table}, which says who has which")
    for student, problem in packed.refused.items():
        print(f"No archive for {student!a}: {problem}", file=sys.stderr)
    return bool(packed.refused)


@command("dates", "dates")
@option("--dry-run", is_flag=True, help="show what would change, and write nothing")
@option(
    "--start",
    type=datetime.date.fromisoformat,
    metavar="MONDAY",
    help="instead, write due_dates.toml by the syllabus of ten weeks that begin on this day",
)
@option("--zone", default="UTC", metavar="NAME", help="of these dates, such as Europe/Berlin")
def dates(dry_run: bool, start: datetime.date | None, zone: str) -> int:
    """Put the dates of due_dates.toml into the gradebook, and penalties for being late."""
    from nbgrader.api import Gradebook

    from grading.content.release import EXERCISES_FOLDER
    from grading.course import deadlines, syllabus
    from grading.course.gradebook import retry_while_locked
    from grading.course.nbgrader_plugin import course_here

    course = course_here()
    coursedir, root = course.coursedir, Path(course.coursedir.root)
    folders = [EXERCISES_FOLDER, Path(coursedir.format_path(coursedir.source_directory, ".", "."))]
    known = {path.name for folder in folders if folder.is_dir() for path in folder.iterdir()}
    if start:
        path = syllabus.write_dates_file(root / deadlines.FILE, start, zone, known)
        print(f"wrote {path}: look through it, then run `python -m grading dates`.")
        return 0
    due = deadlines.due_dates(root, known)
    if not due.due:
        raise ExplainedError(f"{root / deadlines.FILE} has no due dates: write them into [due].")
    step = deadlines.PenaltiesByDate(parent=course)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        changes = retry_while_locked(
            lambda: deadlines.changes(gradebook, due, step, write=not dry_run), print
        )
        strangers = due.students() - {student.id for student in gradebook.students}
    _show_dates(due, step.rule(), changes, strangers)
    if dry_run:
        print("Nothing of this is written.")
    return 0


def _show_dates(due: DueDates, rule: str, changes: list[Change], strangers: set[str]) -> None:
    from rich.markup import escape
    from rich.table import Table

    out = console()
    for name, until in sorted(due.due.items(), key=lambda item: item[1]):
        more = len(due.extended.get(name, {}))
        out.print(f"{name}: due {due.shown(until)}" + f", later for {more}" * bool(more))
    out.print(escape(rule))
    if changes:
        table = Table("assignment", "student", "points less", "now", title="Changed penalties")
        for change in changes:
            table.add_row(
                change.assignment, escape(change.student), f"{change.before:g}", f"{change.now:g}"
            )
        out.print(table)
    if strangers:
        out.print(
            f"Not in the gradebook, so look at the spelling: {escape(', '.join(sorted(strangers)))}"
        )
