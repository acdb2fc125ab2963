"""The way back: tables of scores and archives of feedback that Canvas and Moodle take in.

A platform knows its students under its own numbers. Those that were collected from one are known
under them here, too; for the others there are the ids and addresses of the roster. What cannot be
matched is said, and nothing is guessed.
"""

from __future__ import annotations

import csv
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from grading.course.identities import CANVAS, MOODLE, Origin, plain, read_table
from grading.course.spreadsheets import as_csv
from grading.errors import ExplainedError
from grading.reporting import class_report
from grading.reporting.class_report import ClassReport
from grading.reporting.student import Student


class TableError(ExplainedError):
    """A table that cannot be filled in; the sentence says why."""


def _score(student: Student, nothing: str = "") -> str:
    return nothing if student.score is None else f"{student.score:g}"


def write(report: ClassReport, folder: Path) -> list[Path]:
    """Write the page, the points of every answer and two files for import; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    name, most, students = report.assignment, report.max_score, report.students
    contents = {
        f"{name}.html": class_report.page(report),
        f"{name}_exercises.csv": exercises_csv(most, students),
        f"{name}_canvas.csv": canvas_csv(name, most, students),
        f"{name}_moodle.csv": moodle_csv(name, students),
    }
    paths = []
    for file, content in contents.items():
        path = folder / file
        path.write_text(content, encoding="utf-8", newline="")
        paths.append(path)
    return paths


def canvas_csv(assignment: str, max_score: float, students: list[Student]) -> str:
    """Scores in the form of Canvas's gradebook import: its five columns, points possible, rows."""
    rows = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment],
        ["    Points Possible", "", "", "", "", f"{max_score:g}"],
    ]
    for s in students:
        rows.append([s.name or s.id, s.number(CANVAS), s.own_id, s.own_id, "", _score(s)])
    return as_csv(rows)


def moodle_csv(assignment: str, students: list[Student]) -> str:
    """Scores in a form that Moodle's grade import can map: identifier, address, score."""
    rows = [["ID number", "Email address", f"Assignment: {assignment} (Real)"]]
    rows += [[s.own_id, s.address, _score(s, "-")] for s in students]
    return as_csv(rows)


def exercises_csv(max_score: float, students: list[Student]) -> str:
    """Points of every answer, for a spreadsheet."""
    answers = list(dict.fromkeys(name for student in students for name in student.points))
    rows = [["id", "name", "email", *answers, "late penalty", "score", "of", "status"]]
    for s in students:
        points = [s.points.get(name) for name in answers]
        cells = ["" if p is None else f"{p:g}" for p in points]
        penalty = f"{s.penalty:g}" if s.penalty else ""
        rows.append(
            [s.id, s.name, s.address, *cells, penalty, _score(s), f"{max_score:g}", s.status]
        )
    return as_csv(rows)


# ---- A table of the platform's own ---------------------------------------------------------------


@dataclass
class Filled:
    """A platform's own table with scores in it, and the students for whom it has no row."""

    text: str
    count: int
    without_row: list[str]


_MAXIMUM = "maximum grade"


def filled(path: Path, assignment: str, max_score: float, students: list[Student]) -> Filled:
    """Put scores into the table that Canvas or Moodle exported.

    Raises:
        TableError: if it is none of theirs, has no column or more than one for the assignment, or
            has another maximum.
    """
    try:
        head, *rows = read_table(path)
    except (OSError, ValueError, csv.Error) as error:
        raise TableError(f"{path} is no table that can be read ({error}).") from error
    names = [name.strip().lower() for name in head]
    kept, column, platform = _columns(path, head, names, assignment)
    match = _Match(students, names, platform)
    out = [[head[place] for place in kept]]
    done: set[str] = set()
    for row in rows:
        most = row[column] if "points possible" in row[0].lower() else ""
        most = row[names.index(_MAXIMUM)] if _MAXIMUM in names else most
        if _number(most) not in (None, max_score):
            raise TableError(
                f"{path} has {most} as the most points of {assignment}, which has {max_score:g}: "
                "set that number on the platform, and export the table again."
            )
        student = match.student(row)
        if student and student.score is not None:
            row[column] = _score(student)
            done.add(student.id)
        out.append([row[place] for place in kept])
    without = [s.id for s in students if s.score is not None and s.id not in done]
    return Filled(as_csv(out), len(done), without)


def _columns(
    path: Path, head: list[str], names: list[str], assignment: str
) -> tuple[list[int], int, str]:
    """Which columns are kept, which one gets the scores, and whose table it is."""
    if {"identifier", "grade"} <= set(names):  # Moodle's grading worksheet, of one assignment
        return list(range(len(head))), names.index("grade"), MOODLE
    canvas = {"student", "id"} <= set(names)
    if not canvas and not {"email address", "id number"} & set(names):
        raise TableError(
            f"{path} is neither Canvas's exported gradebook nor Moodle's, nor a grading worksheet: "
            f"its columns are {', '.join(head[:8])}."
        )
    wanted = plain(assignment)
    found = [n for n, name in enumerate(head) if wanted in plain(name)]
    if len(found) != 1:
        raise TableError(
            f"{path} has {len(found) or 'no'} columns for {assignment}, expected one: call the "
            "assignment by this name on the platform, and export the table again."
        )
    identity = [n for n, name in enumerate(names) if name in _IDENTITY and n != found[0]]
    return [*identity, *found], found[0], CANVAS if canvas else MOODLE


_IDENTITY = (
    "student", "id", "sis user id", "sis login id", "integration id", "section", "root account",
    "first name", "last name", "surname", "full name", "username", "id number", "email address",
)  # fmt: skip


class _Match:
    """Finds the student of a row, by the surest thing that both know."""

    def __init__(self, students: list[Student], names: list[str], platform: str):
        self._names, self._platform = names, platform
        keys = ("number", "id", "email", "name")
        self._by: dict[str, dict[str, list[Student]]] = {key: {} for key in keys}
        for student in students:
            called = {student.name, student.origin.name if student.origin else ""}
            known = {
                "number": [student.number(platform)],
                "id": [student.own_id],
                "email": [student.address],
                "name": [_in_any_order(name) for name in called],
            }
            for key, values in known.items():
                for value in {value.casefold() for value in values if value}:
                    self._by[key].setdefault(value, []).append(student)

    def student(self, row: list[str]) -> Student | None:
        """The one student whom a row is about."""
        cells = dict(zip(self._names, map(str.strip, row), strict=True))
        full = cells.get("full name") or cells.get("student") or " ".join(
            filter(None, [cells.get("first name"), cells.get("last name", cells.get("surname"))])
        )  # fmt: skip
        number = cells.get("id", "") or re.sub(r"^\D*", "", cells.get("identifier", ""))
        ids = [cells.get(n, "") for n in ("id number", "username", "sis user id", "sis login id")]
        emails = [cells.get("email address", ""), cells.get("sis login id", "")]
        looked_up = (("number", [number]), ("id", ids), ("email", emails),
                     ("name", [_in_any_order(full)]))  # fmt: skip
        for key, values in looked_up:
            for value in filter(None, values):
                found = self._by[key].get(value.casefold(), [])
                others = [s for s in found if not self._differs(s, number, emails)]
                if len(others) == 1:
                    return others[0]
        return None

    def _differs(self, student: Student, number: str, emails: list[str]) -> bool:
        """Whether something that both know says that they are two."""
        known, address = student.number(self._platform), student.address.casefold()
        told = [email.casefold() for email in emails if "@" in email]
        return bool(
            (known and number and known != number) or (address and told and address not in told)
        )


def _in_any_order(name: str) -> str:
    """A name, whether the last one stands first with a comma or not."""
    last, comma, first = name.partition(",")
    return plain(f"{first}{last}" if comma else name)


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


# ---- Feedback ------------------------------------------------------------------------------------


@dataclass
class Packed:
    """The archives of feedback that were written; who has no page, and whose is out of date."""

    paths: list[Path] = field(default_factory=list)
    pages: int = 0
    missing: list[str] = field(default_factory=list)
    outdated: list[str] = field(default_factory=list)


def pack_feedback(
    assignment: str, pages: dict[str, tuple[Path, Path]], found: dict[str, Origin], folder: Path
) -> Packed:
    """Pack the pages of feedback, one a student, in an archive for each place they go back to.

    Args:
        assignment: whose.
        pages: students to their page, which may be missing, and the graded notebook it is made of.
        found: students to where their submissions came from.
        folder: of the archives.
    """
    packed = Packed()
    archives: dict[str, dict[str, bytes]] = {}
    for student, (page, notebook) in sorted(pages.items()):
        if not page.is_file():
            packed.missing.append(student)
            continue
        if notebook.is_file() and notebook.stat().st_mtime > page.stat().st_mtime:
            packed.outdated.append(student)
        origin = found.get(student)
        platform = f"_{origin.platform.lower()}" if origin else ""
        archives.setdefault(platform, {})[_place(student, origin, page.name)] = page.read_bytes()
        packed.pages += 1
    folder.mkdir(parents=True, exist_ok=True)
    for platform, contents in archives.items():
        path = folder / f"{assignment}_feedback{platform}.zip"
        temporary = path.with_suffix(".tmp")
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in contents.items():
                archive.writestr(name, content)
        temporary.replace(path)
        packed.paths.append(path)
    return packed


def _place(student: str, origin: Origin | None, page: str) -> str:
    """The name under which a platform, or a person, finds whose page it is."""
    if origin is None:
        return f"{student}.html"
    place = PurePosixPath(origin.place)
    if len(place.parts) > 1:
        return f"{place.parts[0]}/{page}"
    return f"{place.stem}.html"


def sentences(students: list[Student]) -> Iterator[str]:
    """What whoever takes the scores elsewhere must know before."""
    waiting = [s.id for s in students if s.waits]
    problems = [s.id for s in students if s.problem and s.score is not None]
    if waiting:
        yield f"Not final: {_people(waiting)} for answers to be graded by a person, 0 until then."
    unknown = [s.id for s in students if s.score is not None and s.due and not s.handed_in]
    if unknown:
        yield (
            f"When it was handed in is not known of {', '.join(unknown)}: counted as in time. "
            "Where you know it, write it into a timestamp.txt beside the notebook."
        )
    if problems:
        yield f"Counted as 0 though nobody could read it, see above: {', '.join(problems)}."


def _people(ids: list[str]) -> str:
    return f"{len(ids)} wait" if len(ids) > 1 else f"{ids[0]} waits"
