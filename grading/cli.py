"""The command line: ``python -m grading`` with a subcommand for each thing that one would ask.

What a subcommand needs is imported when it runs, so that nobody waits for torch who asks for help.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.errors import ExplainedError
from grading.running.settings import add_flags, given_flags

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from nbgrader.apps.baseapp import NbGrader
    from rich.console import Console

    from grading.check import Verdict
    from grading.exercise import Exercise
    from grading.platforms.scores import Outcome
    from grading.running.kernel import Bounds


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand and return the exit status."""
    options = _parser().parse_args(arguments)
    for name in ("jobs", "draws"):
        found = getattr(options, name, None)
        if found is not None and found < 1:
            print(
                f"python -m grading: --{name}: found {found}, expected 1 or more.", file=sys.stderr
            )
            return 2
    gc.disable()  # it finds nothing among modules, and takes a third of the time to import them
    if options.runs_notebooks and not (options.insecure or options.container or options.scheduler):
        from grading.running.launch import begin_parent

        begin_parent(options.assignment)  # it imports torch while this process does
    import grading.content  # noqa: F401  # and with it torch

    gc.freeze()  # nor should it look through them later
    gc.enable()
    try:
        return int(options.run(options))
    except (LookupError, ExplainedError) as error:
        print(f"python -m grading: {error.args[0]}", file=sys.stderr)
        return 2
    except Exception as error:
        from sqlalchemy.exc import DatabaseError

        if not isinstance(error, DatabaseError):
            raise
        reason = str(error.orig).strip().partition("\n")[0]
        print(
            f"python -m grading: The gradebook cannot be used: {reason}. Put it back from a "
            "backup, or use the version of the course that made it.", file=sys.stderr,
        )  # fmt: skip
        return 2


INTERRUPTED = 130


def run(arguments: Sequence[str] | None = None) -> int:
    """Do :func:`main`; whoever stops it while it starts is not shown where it was."""
    try:
        return main(arguments)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return INTERRUPTED


# ---- What can be typed -------------------------------------------------------------------------

_AUTOGRADE_ENDS = """\
Exit status: 0 if every submission has a record with points or a reason, 1 if
not, 2 if nothing could be done, 3 if changed points wait for --yes.

The command is run in the course's folder, where nbgrader_config.py is, and can
be interrupted at any time: the next run goes on.
"""

_SCORES_ENDS = """\
Exit status: 0 if the platform has the points of everybody who handed in, 1 if
it has not, 2 if nothing could be sent.

What it has taken is not sent again, so the command can be run, and interrupted,
at any time.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m grading", description="Grade the exercises.")
    parser.set_defaults(runs_notebooks=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        run: Callable[[argparse.Namespace], int], name: str, text: str, example: str, ends: str = ""
    ) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog=f"Example: python -m grading {example}\n\n{ends}".strip(),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    added = command(_exercises, "exercises", "list every exercise", "exercises --json")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        _try,
        "try",
        "grade one notebook file, without a course or a gradebook",
        "try 01_simple_attention my_notebook.ipynb",
    )
    added.set_defaults(runs_notebooks=True, scheduler="")
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument("notebook", metavar="NOTEBOOK", type=Path)
    added.add_argument("--json", action="store_true", help="for programs")
    _add_isolation(added)
    add_flags(added)

    added = command(
        _autograde,
        "autograde",
        "grade all submissions of an assignment into nbgrader's gradebook",
        "autograde 01_simple_attention",
        _AUTOGRADE_ENDS,
    )
    added.set_defaults(runs_notebooks=True)
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument(
        "--student",
        action="append",
        metavar="ID",
        help="only this one; may be repeated, may hold *",
    )
    added.add_argument("--jobs", type=int, metavar="N", help="workers here (default: one a core)")
    added.add_argument(
        "--scheduler", metavar="ADDRESS", help="use a Dask cluster, such as tcp://host:8786"
    )
    again = added.add_mutually_exclusive_group()
    again.add_argument(
        "--resume", action="store_true", help="grade only what has no record yet (the default)"
    )
    again.add_argument("--force", action="store_true", help="grade everything again")
    added.add_argument("--yes", action="store_true", help="write changed points without asking")
    added.add_argument("--json", action="store_true", help="for programs")
    _add_isolation(added)
    add_flags(added)

    added = command(
        _report,
        "report",
        "show how the class did, and write a page and files for Canvas and Moodle",
        "report 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT", nargs="?")
    added.add_argument(
        "--all",
        action="store_true",
        help="a page on all assignments instead: who falls behind, what persists, what teaches",
    )
    added.add_argument(
        "--anonymous", action="store_true", help="with --all: numbers instead of names"
    )
    added.add_argument(
        "--book",
        metavar="ADDRESS",
        help="with --all: where the book is, for links (default: _build/html, if it was built)",
    )
    added.add_argument(
        "--folder", type=Path, default=Path("reports"), help="where files go (default: reports)"
    )
    added.add_argument(
        "--fill",
        type=Path,
        action="append",
        default=[],
        metavar="TABLE",
        help="also put the scores into a copy of what Canvas or Moodle exported: the gradebook, "
        "or the grading worksheet; may be repeated",
    )
    added.add_argument("--json", action="store_true", help="for programs; no files are written")

    added = command(
        _dates,
        "dates",
        "put the dates of due_dates.toml into the gradebook, and penalties for being late",
        "dates",
    )
    added.add_argument(
        "--dry-run", action="store_true", help="show what would change, and write nothing"
    )
    added.add_argument(
        "--start",
        type=datetime.date.fromisoformat,
        metavar="MONDAY",
        help="instead, write due_dates.toml by the syllabus of ten weeks that begin on this day",
    )
    added.add_argument(
        "--zone", default="UTC", metavar="NAME", help="of these dates, such as Europe/Berlin"
    )

    added = command(
        _similar,
        "similar",
        "show which answers of a class are alike in what few others wrote",
        "similar 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        _feedback,
        "feedback",
        "pack the pages of feedback into archives that Canvas and Moodle take back",
        "feedback 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument(
        "--folder", type=Path, default=Path("reports"), help="where files go (default: reports)"
    )

    added = command(
        _scores,
        "scores",
        "send points to the learning platform that the course is on, by LTI 1.3",
        "scores 01_simple_attention",
        _SCORES_ENDS,
    )
    added.add_argument("assignment", metavar="ASSIGNMENT", nargs="?")
    added.add_argument(
        "--dry-run", action="store_true", help="show what would be sent, and send nothing"
    )
    added.add_argument(
        "--key",
        action="store_true",
        help="instead, show the public key that the platform is to know; make one if there is none",
    )

    added = command(
        _regrade,
        "regrade",
        "list the requests to look at an answer again, with what the grader has seen",
        "regrade 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        _matrix,
        "matrix",
        "put every known wrong and every correct implementation through its exercise",
        "matrix 01_simple_attention",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT", nargs="?")
    added.add_argument("--exercise", metavar="NAME", help="only this one of the assignment")
    added.add_argument(
        "--variant",
        default="A",
        metavar="LETTER",
        help="of the exercises (default: A, as described)",
    )
    added.add_argument(
        "--corpus",
        nargs="?",
        type=Path,
        const=Path(),
        metavar="FOLDER",
        help="instead, put the answers of the corpus (or of a folder that is laid out like it) "
        "through many draws of the cases, and report what was judged wrongly; they run without "
        "the sandbox",
    )
    added.add_argument(
        "--draws", type=int, default=20, metavar="N", help="for the corpus (default: 20)"
    )
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        _search,
        "search",
        "make small edits of the references and report those that no case sees",
        "search 01_simple_attention --exercise padded_heads",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument("--exercise", metavar="NAME", help="only this one of the assignment")
    added.add_argument(
        "--draws", type=int, default=3, metavar="N", help="of the cases (default: 3)"
    )
    added.add_argument("--json", action="store_true", help="for programs")

    added = command(
        _release,
        "release",
        "write what is released beside the notebooks (`make exercises` does when it is needed)",
        "release 01_simple_attention",
    )
    added.add_argument("assignments", metavar="ASSIGNMENT", nargs="*", help="default: all")
    added.add_argument("--jobs", type=int, metavar="N", help="at once (default: one a core)")

    added = command(
        _variants,
        "variants",
        "make the variants of an assignment, and an archive for each student",
        "variants 06_encoder",
    )
    added.add_argument("assignment", metavar="ASSIGNMENT")
    added.add_argument(
        "--folder", type=Path, default=Path("reports"), help="where files go (default: reports)"
    )

    added = command(
        _appendix,
        "appendix",
        "write the book's pages on what the grader knows (`make exercises` does)",
        "appendix --without-differences",
    )
    added.add_argument(
        "--without-differences",
        action="store_true",
        help="do not show what mistakes change, which gives the solutions away",
    )
    return parser


def _add_isolation(parser: argparse.ArgumentParser) -> None:
    """Describe what a submission may run in instead of the sandbox."""
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--container",
        default="",
        metavar="IMAGE",
        help="run each submission in a container of Podman or Docker instead of the sandbox",
    )
    instead.add_argument(
        "--insecure",
        action="store_true",
        help="run without the sandbox: submissions can do whatever you can do",
    )


def _bounds(options: argparse.Namespace, course: NbGrader) -> Bounds:
    """What a submission may use: as typed, else as the course's nbgrader_config.py sets it."""
    import dataclasses

    from traitlets import TraitError

    from grading.course.nbgrader_plugin import GradeFromOutside
    from grading.limits import NotebookLimits, SandboxLimits

    given = given_flags(NotebookLimits, options)
    if options.insecure or options.container:
        given |= {"insecure": options.insecure, "container": options.container}
    try:
        bounds = GradeFromOutside(parent=course, **given).bounds()
    except TraitError as error:
        raise ExplainedError(f"nbgrader_config.py: {error}") from error
    sandbox = dataclasses.replace(bounds.sandbox, **given_flags(SandboxLimits, options))
    return dataclasses.replace(bounds, sandbox=sandbox)


def _print_json(value: Any) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    # a name of a file that is no UTF-8 holds halves of characters, which only JSON can spell
    print(re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text))


# ---- exercises ---------------------------------------------------------------------------------


def _exercises(options: argparse.Namespace) -> int:
    from grading.content import assignments

    if options.json:
        _print_json(
            [
                {"assignment": assignment, **_exercise(exercise)}
                for assignment, exercises in assignments().items()
                for exercise in exercises
            ]
        )
        return 0
    console = _console()
    for assignment, exercises in assignments().items():
        points = sum(exercise.points for exercise in exercises)
        by_hand, minutes = _by_hand_and_minutes(assignment)
        console.print(
            f"[bold]{assignment}[/]: {points + by_hand:g} points, {by_hand:g} of them for a "
            f"written answer, about {minutes} minutes"
        )
        for exercise in exercises:
            difficulty = "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)
            console.print(
                f"  {exercise.signature}\n"
                f"      {exercise.title} · {difficulty} · {exercise.minutes} minutes · "
                f"{exercise.points} points · cell {exercise.answer_cell}",
                soft_wrap=True,
            )
    return 0


def _by_hand_and_minutes(assignment: str) -> tuple[float, int]:
    """The points that a person gives, and the minutes of the whole, as the notebook says."""
    import nbformat

    from grading.content.release import EXERCISES_FOLDER

    (path,) = (EXERCISES_FOLDER / assignment).glob("*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    of = [cell.metadata.get("nbgrader", {}) for cell in cells]
    by_hand = sum(each["points"] for each in of if each.get("grade") and each.get("solution"))
    text = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return by_hand, sum(map(int, re.findall(r"· about (\d+) minutes ·", text)))


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
    from rich.markup import escape

    from grading.check import Report
    from grading.content import full_name, release
    from grading.course.nbgrader_plugin import course_here
    from grading.course.repair import told
    from grading.course.secret import secret_if_any
    from grading.running.grade_notebook import grade_notebook

    assignment = full_name(options.assignment)
    notes: list[str] = []
    notebook = _read_notebook(options.notebook, assignment, notes)
    course = course_here()
    bounds, secret = _bounds(options, course), secret_if_any(Path(course.coursedir.root))
    files = release.released_paths(assignment)
    verdicts = grade_notebook(notebook, assignment, files=files, bounds=bounds, secret=secret)
    if options.json:
        _print_json(
            {
                "assignment": assignment,
                "notebook": str(options.notebook),
                "points": sum(verdict.points for verdict in verdicts),
                "max_points": sum(verdict.max_points for verdict in verdicts),
                "notes": told(notes),
                "exercises": [_verdict(verdict) for verdict in verdicts],
            }
        )
        return 0
    console = _console()
    for note in told(notes):
        console.print(escape(note), soft_wrap=True, emoji=False)
    for verdict in verdicts:
        colour = {"correct": "green", "partly": "yellow", "not attempted": "dim"}
        headline, *rest = str(Report(verdict)).split("\n")
        console.print(f"[{colour.get(verdict.status, 'red')}]{escape(headline)}[/]")
        console.print(escape("\n".join(rest)), soft_wrap=True)
    points = sum(verdict.points for verdict in verdicts)
    max_points = sum(verdict.max_points for verdict in verdicts)
    console.print(f"{points:g} of {max_points:g} points, and what a person grades by hand.")
    return 0


def _read_notebook(path: Path, assignment: str, notes: list[str]) -> NotebookNode:
    """Read a notebook as `autograde` does; a link is the user's own, so it is followed."""
    import os

    from grading.course import repair
    from grading.course.assignment import released_from_source
    from grading.course.submissions import UnreadableError, read_notebook

    if not path.exists():
        raise ExplainedError(f"There is no file {path}.")
    try:
        cells = repair.parse(read_notebook(Path(os.path.realpath(path))), notes)
    except UnreadableError as error:
        raise ExplainedError(f"{str(path)!a}: {error}") from error
    return repair.repaired(cells, released_from_source(assignment), notes)


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
    from grading.course import autograde
    from grading.course.nbgrader_plugin import course_here

    course = course_here()
    return autograde.run(options, course, _bounds(options, course))


# ---- report ------------------------------------------------------------------------------------


def _report(options: argparse.Namespace) -> int:
    from rich.markup import escape

    from grading.content import full_name
    from grading.platforms import tables
    from grading.reporting import class_report

    if bool(options.assignment) == options.all:
        raise ExplainedError("report: expected an assignment, or --all, and not both.")
    if options.all:
        return _dashboard(options)
    found = class_report.class_report(full_name(options.assignment))
    if options.json:
        _print_json(class_report.as_json(found))
        return 0
    console = _console()
    for line in class_report.summary(found):
        console.print(line)
    paths, status = tables.write(found, _made(options.folder)), 0
    for table in options.fill:
        filled = tables.filled(table, found.assignment, found.max_score, found.students)
        path = options.folder / f"{found.assignment}_filled_{table.name}"
        path.write_text(filled.text, encoding="utf-8", newline="")
        paths.append(path)
        if filled.without_row:
            status = 1
            names = escape(", ".join(filled.without_row))
            console.print(f"{escape(str(table))} has no row for {names}.", soft_wrap=True)
    for path in paths:
        console.print(f"wrote {escape(str(path))}", soft_wrap=True)
    for sentence in tables.sentences(found.students):
        console.print(f"[bold]{escape(sentence)}[/]", soft_wrap=True)
    return status


def _dashboard(options: argparse.Namespace) -> int:
    import os

    from grading.reporting import dashboard

    found = dashboard.course_report()
    if options.anonymous:
        found = dashboard.without_names(found)
    if options.json:
        _print_json(dashboard.as_json(found))
        return 0
    book, built = options.book or "", Path("_build/html")
    if not book and (built / "index.html").is_file():
        book = Path(os.path.relpath(built, options.folder)).as_posix()
    path = _made(options.folder) / f"course{'_anonymous' if options.anonymous else ''}.html"
    path.write_text(dashboard.page(found, book), encoding="utf-8")
    print(f"wrote {path}")
    return 0


# ---- dates -------------------------------------------------------------------------------------


def _dates(options: argparse.Namespace) -> int:
    from nbgrader.api import Gradebook
    from rich.markup import escape
    from rich.table import Table

    from grading.content.release import EXERCISES_FOLDER
    from grading.course import deadlines
    from grading.course.gradebook import retry_while_locked
    from grading.course.nbgrader_plugin import course_here

    course = course_here()
    coursedir, root = course.coursedir, Path(course.coursedir.root)
    folders = [EXERCISES_FOLDER, Path(coursedir.format_path(coursedir.source_directory, ".", "."))]
    known = {path.name for folder in folders if folder.is_dir() for path in folder.iterdir()}
    if options.start:
        return _write_dates(options, root / deadlines.FILE, known)
    dates = deadlines.due_dates(root, known)
    if not dates.due:
        raise ExplainedError(f"{root / deadlines.FILE} has no due dates: write them into [due].")
    console = _console()
    step = deadlines.PenaltiesByDate(parent=course)
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        found = retry_while_locked(
            lambda: deadlines.changes(gradebook, dates, step, write=not options.dry_run), print
        )
        strangers = dates.students() - {student.id for student in gradebook.students}
    for name, due in sorted(dates.due.items(), key=lambda item: item[1]):
        more = len(dates.extended.get(name, {}))
        console.print(f"{name}: due {dates.shown(due)}" + f", later for {more}" * bool(more))
    console.print(escape(step.rule()))
    if found:
        table = Table("assignment", "student", "points less", "now", title="Changed penalties")
        for change in found:
            table.add_row(
                change.assignment, escape(change.student), f"{change.before:g}", f"{change.now:g}"
            )
        console.print(table)
    if strangers:
        console.print(
            f"Not in the gradebook, so look at the spelling: {escape(', '.join(sorted(strangers)))}"
        )
    if options.dry_run:
        console.print("Nothing of this is written.")
    return 0


def _write_dates(options: argparse.Namespace, path: Path, known: set[str]) -> int:
    import zoneinfo

    from grading.course import syllabus

    try:
        zone = zoneinfo.ZoneInfo(options.zone)
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise ExplainedError(f"--zone: {options.zone!r} is no time zone.") from None
    text = syllabus.dates_file(options.start, zone.key, known)
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise ExplainedError(f"{path} is there already: move it away first.") from None
    print(f"wrote {path}: look through it, then run `python -m grading dates`.")
    return 0


# ---- similar -----------------------------------------------------------------------------------


def _similar(options: argparse.Namespace) -> int:
    import dataclasses

    from rich.markup import escape

    from grading.content import full_name
    from grading.course import submissions
    from grading.course.assigned_variants import folder_of, given
    from grading.course.nbgrader_plugin import course_here
    from grading.reporting import similarity

    assignment, coursedir = full_name(options.assignment), course_here().coursedir
    name = f"{assignment.partition('_')[2]}.ipynb"
    graded = {}
    for student in submissions.find(coursedir, assignment):
        path = Path(
            coursedir.format_path(coursedir.autograded_directory, student, assignment), name
        )
        if path.is_file():
            graded[student] = path
    if len(graded) < 2:
        raise ExplainedError(
            f"There are not two graded submissions of {assignment} to compare: run "
            f"`python -m grading autograde {assignment}` first."
        )
    source = Path(coursedir.format_path(coursedir.source_directory, ".", assignment), name)
    root = Path(coursedir.root)
    released = sorted(folder_of(root, assignment).glob(f"?/{name}"))
    found = similarity.of_class(assignment, source, graded, given(root, assignment), released)
    if options.json:
        _print_json([dataclasses.asdict(each) | {"groups": each.groups} for each in found])
        return 0
    console = _console()
    for each in found:
        console.print(
            f"[bold]{each.exercise}[/]: {each.answers} answers, "
            f"{sum(map(len, each.groups))} of them alike"
        )
        for group in each.groups:
            console.print(f"  alike: {escape(', '.join(group))}", soft_wrap=True)
        for pair in each.pairs[:20]:
            one, other = pair.students
            told = f"    {one} and {other}: {pair.share:.0%} of {pair.bits:g} bits shared, such as"
            console.print(escape(told), soft_wrap=True)
            for piece in pair.shared[:4]:
                console.print(escape(f"      {piece[:160]}"), soft_wrap=True)
    console.print(
        "What is alike is a reason to read both answers, and no proof: two who learned from one "
        "page write alike, short answers say too little to be compared, and whoever rewrites "
        "thoroughly is not found."
    )
    return 0


# ---- feedback ----------------------------------------------------------------------------------


def _feedback(options: argparse.Namespace) -> int:
    from grading.content import full_name
    from grading.course import identities
    from grading.course.nbgrader_plugin import course_here
    from grading.platforms import tables
    from grading.reporting import class_report

    coursedir = course_here().coursedir
    found = class_report.class_report(full_name(options.assignment))
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
    packed = tables.pack_feedback(found.assignment, pages, known, _made(options.folder))
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


# ---- scores ------------------------------------------------------------------------------------


def _scores(options: argparse.Namespace) -> int:
    import importlib.util

    from grading.content import full_name
    from grading.course.nbgrader_plugin import course_here
    from grading.platforms import lti, scores
    from grading.reporting import class_report

    if bool(options.assignment) == options.key:
        raise ExplainedError("scores: expected an assignment, or --key, and not both.")
    if not importlib.util.find_spec("jwt") or not importlib.util.find_spec("cryptography"):
        raise ExplainedError(
            "To send scores needs PyJWT and cryptography: run "
            "`pip install -r requirements-hub.txt -c constraints.txt`."
        )
    root = Path(course_here().coursedir.root)
    if options.key:
        described = (root / lti.FILE).exists()
        path = lti.read(root / lti.FILE).private_key if described else root / lti.PRIVATE_KEY
        key = scores.make_private_key(path)
        print(f"The private key is {path}: keep it to yourself. The public one, in two forms:")
        _print_json(scores.public_jwk(key))
        print(scores.public_pem(key), end="")
        return 0
    found = class_report.class_report(full_name(options.assignment))
    return _show_scores(scores.send(root, found, options.dry_run, _progress), options.dry_run)


def _progress(students: dict[str, Any]) -> Iterator[str]:
    from rich.progress import track

    yield from track(students, "Sending", console=_console(), transient=True)


def _show_scores(outcome: Outcome, dry_run: bool) -> int:
    from rich.markup import escape
    from rich.table import Table

    console, plan = _console(), outcome.plan
    if dry_run and plan.send:
        table = Table("student", "the platform's id", "points", "of", "", title="To be sent")
        for student, score in plan.send.items():
            waits = "waits for a person" if score.waits else "graded"
            numbers = f"{score.given:g}", f"{score.most:g}"
            table.add_row(escape(student), escape(score.user), *numbers, waits)
        console.print(table)
    if dry_run and not outcome.line_item:
        console.print("The platform's column would be made first.")
    for student, reason in outcome.refused.items():
        console.print(f"[bold]Not sent:[/] {escape(student)}: {escape(reason)}", soft_wrap=True)
    left = len(plan.send) - len(outcome.done)
    if outcome.problem:
        console.print(f"[bold]{escape(outcome.problem)}[/] Run it again.", soft_wrap=True)
    waiting = sum(plan.send[student].waits for student in outcome.done)
    done = "Nothing of this is sent" if dry_run else f"{len(outcome.done)} sent"
    pending = f", of which {waiting} as waiting for a person" * bool(waiting)
    console.print(f"{done}{pending}; the platform had {len(plan.sent)} already.")
    return bool(outcome.refused or outcome.problem or (left and not dry_run))


# ---- regrade -----------------------------------------------------------------------------------


def _regrade(options: argparse.Namespace) -> int:
    from rich.markup import escape

    from grading.content import full_name
    from grading.reporting import regrade

    assignment = full_name(options.assignment)
    found = regrade.requests(assignment)
    if options.json:
        _print_json([vars(request) for request in found])
        return 0
    if not found:
        raise ExplainedError(f"There is no request: expected {regrade.FOLDER}/{assignment}/*.txt.")
    console = _console()
    for request in found:
        points = "not graded yet," if request.points is None else f"{request.points:g}"
        points = f"{points} of {request.max_points:g} points" if request.max_points else ""
        title = ", ".join(filter(None, [request.student, request.exercise, points]))
        done = "answered" if request.answer else "[yellow]not answered[/]"
        console.print(f"[bold]{escape(title)}[/]: {done}", soft_wrap=True)
        for name, lines in (
            ("problem", [request.problem]),
            ("reason", request.reason.splitlines()),
            ("verdict", [request.verdict]),
            ("cases", request.cases),
            ("history", request.history),
            ("answer", request.answer.splitlines()),
        ):
            for line in filter(None, lines):
                console.print(escape(f"  {name}: {line}"), soft_wrap=True)
    return 0


# ---- matrix ------------------------------------------------------------------------------------


def _matrix(options: argparse.Namespace) -> int:
    from rich.markup import escape
    from rich.table import Table

    from grading import content
    from grading.content import assignments, exercises_of, full_name
    from grading.exercise.variants import LETTERS
    from grading.proof import matrix

    variant = LETTERS.find(options.variant) if len(options.variant) == 1 else -1
    chosen = [
        (name, exercise)
        for name in ([full_name(options.assignment)] if options.assignment else assignments())
        for exercise in exercises_of(name, max(variant, 0))
        if options.exercise in (None, exercise.id)
        and (variant == 0 or content.chosen(name, exercise.id, variant))
    ]
    if not chosen and variant:
        raise LookupError(f"No exercise has a variant {options.variant!r}.")
    if not chosen:
        raise LookupError(f"No exercise {options.exercise!r}.")
    if options.corpus is not None:
        return _corpus(options, [(name, exercise.id) for name, exercise in chosen])
    rows = [row for _, exercise in chosen for row in matrix.rows(exercise, matrix.drawn(exercise))]
    wrong = [row for row in rows if not row.right]
    if options.json:
        _print_json([vars(row) for row in rows])
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
    console = _console()
    console.print(table)
    mistakes = sum(row.kind == "mistake" for row in rows)
    console.print(
        f"{mistakes} wrong implementations, {len(rows) - mistakes} correct ones, each on "
        f"up to {len(matrix.SEEDS)} draws of the cases: {len(wrong)} not as they should be."
    )
    return bool(wrong)


def _corpus(options: argparse.Namespace, chosen: list[tuple[str, str]]) -> int:
    from rich.table import Column, Table

    from grading.proof import corpus

    folder = corpus.CORPUS if options.corpus == Path() else options.corpus
    if not folder.is_dir():
        raise ExplainedError(f"--corpus: {folder} is no folder; expected one with answers.")
    rows = list(corpus.report(chosen, options.draws, folder))
    kinds = ("accepted", "too_many", "too_few", "rejected", "unsteady", "unnamed")
    misjudged = any(getattr(row, kind) for row in rows for kind in kinds if kind != "unnamed")
    if options.json:
        _print_json([vars(row) for row in rows])
        return misjudged
    heads = ("wrong", "accepted", "too many", "too few", "right", "rejected", "by draw")
    table = Table(Column("exercise", no_wrap=True), *heads, "named")
    for row in rows:
        counts = (row.wrong, row.accepted, row.too_many, row.too_few, row.right, row.rejected)
        cells = [len(c) if isinstance(c, list) else c for c in (*counts, row.unsteady)]
        named = row.wrong - len(row.unnamed)
        share = f"{named} = {named / row.wrong:.0%}" if row.wrong else ""
        table.add_row(row.exercise, *map(str, cells), share)
    console = _console()
    console.print(table)
    for row in rows:
        for kind in kinds:
            for name in getattr(row, kind):
                console.print(f"{row.exercise}: {kind.replace('_', ' ')}: {name}")
    wrong, right = sum(row.wrong for row in rows), sum(row.right for row in rows)
    named = wrong - sum(len(row.unnamed) for row in rows)
    console.print(
        f"{wrong} wrong answers, {named} of them named, and {right} right ones, each on "
        f"{options.draws} draws of the cases."
    )
    return misjudged


# ---- search ------------------------------------------------------------------------------------


def _search(options: argparse.Namespace) -> int:
    from rich.markup import escape

    from grading.content import exercises_of
    from grading.exercise import PUBLIC_SEED
    from grading.proof import search

    chosen = [e for e in exercises_of(options.assignment) if options.exercise in (None, e.id)]
    if not chosen:
        raise ExplainedError(f"{options.assignment} has no exercise {options.exercise!r}.")
    seeds = range(PUBLIC_SEED, PUBLIC_SEED + options.draws)
    found = [search.search(exercise, seeds) for exercise in chosen]
    if options.json:
        _print_json([vars(each) for each in found])
        return 0
    console = _console()
    for each in found:
        console.print(
            f"[bold]{each.exercise}[/]: {each.tried} edits, {each.caught} caught in every draw, "
            f"{len(each.by_luck)} by luck, {len(each.survived)} never"
        )
        for title, edits in (("by luck", each.by_luck), ("never", each.survived)):
            for edit in edits:
                console.print(escape(f"  {title}: {edit}"), soft_wrap=True)
    return 0


# ---- release -----------------------------------------------------------------------------------


def _release(options: argparse.Namespace) -> int:
    from grading.content import assignments, full_name, release
    from grading.running.forks import forked_pool

    names = [full_name(name) for name in options.assignments or assignments()]
    names.reverse()  # the later ones take longest
    with forked_pool(options.jobs) as pool:
        for paths in pool.map(release.write_released_files, names):
            for path in paths:
                print(f"wrote {path.relative_to(release.EXERCISES_FOLDER.parent)}")
    return 0


# ---- variants ----------------------------------------------------------------------------------


def _variants(options: argparse.Namespace) -> int:
    import torch

    from grading.content import full_name
    from grading.course import handout
    from grading.course.nbgrader_plugin import course_here

    torch.set_num_threads(1)
    assignment, coursedir = full_name(options.assignment), course_here().coursedir
    packed = handout.hand_out(coursedir, assignment, options.folder)
    shares = ", ".join(f"{which} for {packed.counts[which]}" for which in sorted(packed.counts))
    print(f"wrote {packed.folder}/STUDENT.zip: {shares}")
    print(f"wrote {packed.table}, which says who has which")
    for student, problem in packed.refused.items():
        print(f"No archive for {student!a}: {problem}", file=sys.stderr)
    return bool(packed.refused)


# ---- appendix ----------------------------------------------------------------------------------


def _appendix(options: argparse.Namespace) -> int:
    from grading.proof import appendix

    for path in appendix.write_pages(differences=not options.without_differences):
        print(f"wrote {path.relative_to(appendix.CHAPTERS.parent)}")
    return 0


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExplainedError(
            f"--folder: {folder} cannot be made ({error.strerror}); expected a folder, or where "
            "one can be made."
        ) from error
    return folder


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, emoji=False)  # “:warning:” stays what was written
