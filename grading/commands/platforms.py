"""The way back to learning platforms: archives of feedback, and points by LTI 1.3."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.commands import options
from grading.commands.output import console, made, print_json
from grading.commands.program import command, option
from grading.errors import ExplainedError

if TYPE_CHECKING:
    from grading.platforms.scores import Outcome

_SCORES_ENDS = """\
Exit status: 0 if the platform has the points of everybody who handed in, 1 if
it has not, 2 if nothing could be sent.

What it has taken is not sent again, so the command can be run, and interrupted,
at any time.
"""


@command("feedback", "feedback 01_simple_attention")
@options.assignment
@options.folder
def feedback(assignment: str, folder: Path) -> int:
    """Pack the pages of feedback into archives that Canvas and Moodle take back."""
    from grading.content import full_name
    from grading.course import identities
    from grading.course.nbgrader_plugin import course_here
    from grading.platforms import tables
    from grading.reporting import class_report

    coursedir = course_here().coursedir
    found = class_report.class_report(full_name(assignment))
    notebook = found.assignment.partition("_")[2]

    def path(step: str, student: str, ending: str) -> Path:
        return Path(coursedir.format_path(step, student, found.assignment), notebook + ending)

    pages = {
        s.id: (
            path(coursedir.feedback_directory, s.id, ".html"),
            path(coursedir.autograded_directory, s.id, ".ipynb"),
        )
        for s in found.students
        if s.score is not None
    }
    known = identities.collected(Path(coursedir.root), found.assignment)
    packed = tables.pack_feedback(found.assignment, pages, known, made(folder))
    for archive in packed.paths:
        print(f"wrote {archive}")
    make = f"run `nbgrader generate_feedback {found.assignment} --force` first."
    for title, students in (("no page", packed.missing), ("an old page", packed.outdated)):
        if students:
            verb = "has" if len(students) == 1 else "have"
            print(f"{', '.join(students)} {verb} {title}: {make}", file=sys.stderr)
    waiting = sum(student.waits for student in found.students)
    if waiting:
        print(f"{waiting} of the pages say that an answer waits to be graded by a person.")
    return bool(packed.missing or packed.outdated)


@command("scores", "scores 01_simple_attention", ends=_SCORES_ENDS)
@options.assignment_or_none
@option("--dry-run", is_flag=True, help="show what would be sent, and send nothing")
@option(
    "--key",
    is_flag=True,
    help="instead, show the public key that the platform is to know; make one if there is none",
)
def scores(assignment: str | None, dry_run: bool, key: bool) -> int:
    """Send points to the learning platform that the course is on, by LTI 1.3."""
    import importlib.util

    from grading.content import full_name
    from grading.course.nbgrader_plugin import course_here
    from grading.platforms.scores import send
    from grading.reporting.class_report import class_report

    if bool(assignment) == key:
        raise ExplainedError("scores: expected an assignment, or --key, and not both.")
    if not importlib.util.find_spec("jwt") or not importlib.util.find_spec("cryptography"):
        raise ExplainedError(
            "To send scores needs PyJWT and cryptography: run "
            "`pip install -r requirements-hub.txt -c constraints.txt`."
        )
    root = Path(course_here().coursedir.root)
    if not assignment:
        return _show_key(root)
    found = class_report(full_name(assignment))
    return _show_scores(send(root, found, dry_run, _progress), dry_run)


def _show_key(root: Path) -> int:
    from grading.platforms import lti, scores

    described = (root / lti.FILE).exists()
    path = lti.read(root / lti.FILE).private_key if described else root / lti.PRIVATE_KEY
    key = scores.make_private_key(path)
    print(f"The private key is {path}: keep it to yourself. The public one, in two forms:")
    print_json(scores.public_jwk(key))
    print(scores.public_pem(key), end="")
    return 0


def _progress(students: dict[str, Any]) -> Iterator[str]:
    from rich.progress import track

    yield from track(students, "Sending", console=console(), transient=True)


def _show_scores(outcome: Outcome, dry_run: bool) -> int:
    from rich.markup import escape
    from rich.table import Table

    out, plan = console(), outcome.plan
    if dry_run and plan.send:
        table = Table("student", "the platform's id", "points", "of", "", title="To be sent")
        for student, score in plan.send.items():
            waits = "waits for a person" if score.waits else "graded"
            numbers = f"{score.given:g}", f"{score.most:g}"
            table.add_row(escape(student), escape(score.user), *numbers, waits)
        out.print(table)
    if dry_run and not outcome.line_item:
        out.print("The platform's column would be made first.")
    for student, reason in outcome.refused.items():
        out.print(f"[bold]Not sent:[/] {escape(student)}: {escape(reason)}", soft_wrap=True)
    left = len(plan.send) - len(outcome.done)
    if outcome.problem:
        out.print(f"[bold]{escape(outcome.problem)}[/] Run it again.", soft_wrap=True)
    waiting = sum(plan.send[student].waits for student in outcome.done)
    done = "Nothing of this is sent" if dry_run else f"{len(outcome.done)} sent"
    pending = f", of which {waiting} as waiting for a person" * bool(waiting)
    out.print(f"{done}{pending}; the platform had {len(plan.sent)} already.")
    return bool(outcome.refused or outcome.problem or (left and not dry_run))
