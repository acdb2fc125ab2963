"""Who handed in, as Canvas and Moodle name it: read in archives, kept for the way back.

Both platforms write into a name who handed in, and take grades and feedback back under that very
number or name. So what was collected is written down in the course's working folder, in a file for
each assignment. Canvas's archives say who was late, not when; Moodle's say neither, but its grading
worksheet says when. nbgrader's gradebook has no place for these names and numbers.
"""

from __future__ import annotations

import csv
import datetime
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.utils import parse_utc

from grading.course.secret import WORKING_FOLDER

CANVAS, MOODLE = "Canvas", "Moodle"
_NAMES = (  # of files in an archive, behind its folders
    (MOODLE, r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_\w+?_?/(?P<rest>.+)"),
    (MOODLE, r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_[a-z]+_(?P<rest>[^/]+)"),
    (CANVAS, r"(?P<name>\w+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<file>\d+)_(?P<rest>[^/]+)"),
    (CANVAS, r"(?P<late>LATE_)?(?P<name>anon_(?P<number>\w+?))_(?P<file>\d+)_(?P<rest>[^/]+)"),
    (CANVAS, r"(?P<name>\w+?)(?P<late>_LATE)?_(?P<number>\d+)_(?P<rest>(?:text|link)\.html)"),
)
_WORKSHEET = {"identifier": "number", "full name": "name", "email address": "email",
              "last modified (submission)": "modified"}  # fmt: skip


@dataclass
class Origin:
    """Where a submission came from.

    Attributes:
        platform: ``Canvas`` or ``Moodle``.
        number: Canvas's of the user; Moodle's of the participant in this one assignment.
        name: as the archive has it.
        place: the notebook's name in the archive, under which feedback goes back.
        late: whether the platform says so.
        email: if Moodle's grading worksheet tells it.
    """

    platform: str
    number: str
    name: str
    place: str = ""
    late: bool = False
    email: str = ""


@dataclass
class Row:
    """A participant in Moodle's grading worksheet."""

    number: str
    name: str
    email: str = ""
    modified: datetime.datetime | None = None


@dataclass
class File:
    """A file of an archive: who handed it in, its own name, and the platform's number of it."""

    origin: Origin
    name: str
    number: int = 0


def read_name(path: str) -> File | None:
    """Read a file's path in an archive, if it is one that Canvas or Moodle writes.

    Of several folders that are named like a submission's the outermost is the platform's: those in
    it are what a student calls them.
    """
    for platform, pattern in _NAMES:
        match = re.fullmatch(rf"(?:.*?/)??(?P<place>{pattern})", path, re.DOTALL)
        if match:
            found = match.groupdict()
            origin = Origin(
                platform, found["number"], found["name"], found["place"], bool(found.get("late"))
            )
            return File(origin, found["rest"].rpartition("/")[2], int(found.get("file") or 0))
    return None


def read_table(path: Path) -> list[list[str]]:
    """Read a table of a platform, whatever separates its columns; rows have equal lengths."""
    text = path.read_text(encoding="utf-8-sig")
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=separator) if row]
    width = max(map(len, rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]


def worksheet(path: Path) -> dict[str, Row]:
    """Read Moodle's grading worksheet, by participants' numbers; nothing if it is another table."""
    try:
        rows = read_table(path)
    except (OSError, UnicodeDecodeError, csv.Error):
        return {}
    heads = [_WORKSHEET.get(cell.strip().lower(), "") for cell in rows[0]] if rows else []
    if not {"number", "name"} <= set(heads):
        return {}
    found = {}
    for cells in rows[1:]:
        values = {head: cell.strip() for head, cell in zip(heads, cells, strict=True) if head}
        number = re.search(r"\d+$", values["number"])
        if number:
            found[number[0]] = Row(
                number[0], values["name"], values.get("email", ""), _time(values.get("modified"))
            )
    return found


def _time(text: str | None) -> datetime.datetime | None:
    """Moodle's date, which is in the time of whoever downloads it; here in UTC, as nbgrader's."""
    try:
        local: datetime.datetime = parse_utc(text or "").astimezone()
    except (ValueError, OverflowError):
        return None
    return local.astimezone(datetime.UTC).replace(tzinfo=None)


# ---- Who is who ----------------------------------------------------------------------------------


@dataclass
class Person:
    """A student of the gradebook."""

    id: str
    first_name: str = ""
    last_name: str = ""
    email: str = ""
    lms_id: str = ""


def persons(gradebook: Gradebook) -> list[Person]:
    """Read the students of a gradebook."""
    return [
        Person(s.id, s.first_name or "", s.last_name or "", s.email or "", s.lms_user_id or "")
        for s in gradebook.students
    ]


@dataclass
class Register:
    """Finds a submission's student: one of the gradebook, one collected before, or a new one."""

    roster: list[Person]
    before: list[tuple[str, Origin]] = field(default_factory=list)

    def student(self, origin: Origin) -> str:
        """Return a student's id; for somebody new, the name that the archive has."""
        canvas = origin.platform == CANVAS
        ways: list[Iterable[str]] = []
        if canvas:
            ways.append(p.id for p in self.roster if p.lms_id == origin.number)
            ways.append(s for s, o in self._of(CANVAS) if o.number == origin.number)
        if origin.email:
            email = origin.email.casefold()
            ways.append(p.id for p in self.roster if p.email.casefold() == email)
            ways.append(s for s, o in self.before if o.email.casefold() == email)
        name = plain(origin.name)
        ways.append(
            p.id
            for p in self.roster
            if name and name == plain(p.last_name + p.first_name if canvas else _full_name(p))
        )
        for way in ways:
            ids = set(way)
            if len(ids) == 1:
                return ids.pop()
        others = any(s == origin.name and o.number != origin.number for s, o in self._of(CANVAS))
        return f"{origin.name}-{origin.number}" if canvas and others else origin.name

    def _of(self, platform: str) -> Iterable[tuple[str, Origin]]:
        return ((s, o) for s, o in self.before if o.platform == platform)


def _full_name(person: Person) -> str:
    return f"{person.first_name} {person.last_name}"


def plain(name: str) -> str:
    """A name without what platforms leave out of it: case, spaces, marks."""
    return re.sub(r"[\W_]", "", name).casefold()


# ---- What was collected --------------------------------------------------------------------------


def _folder(root: Path) -> Path:
    return root / WORKING_FOLDER / "collected"


def collected(root: Path, assignment: str) -> dict[str, Origin]:
    """Map the students whose submissions came from a platform to where each came from."""
    try:
        text = (_folder(root) / f"{assignment}.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    return {student: Origin(**origin) for student, origin in json.loads(text).items()}


def collected_before(root: Path) -> list[tuple[str, Origin]]:
    """All that were collected, of whatever assignment."""
    files = sorted(_folder(root).glob("*.json"))
    return [item for file in files for item in collected(root, file.stem).items()]


def write_collected(root: Path, assignment: str, found: dict[str, Origin]) -> None:
    """Add what was collected now to what is known of an assignment."""
    if not found:
        return
    folder = _folder(root)
    folder.mkdir(parents=True, exist_ok=True)
    known = {s: asdict(o) for s, o in {**collected(root, assignment), **found}.items()}
    temporary = folder / f".{assignment}.tmp"
    temporary.write_text(json.dumps(known, indent=1, ensure_ascii=False), encoding="utf-8")
    os.replace(temporary, folder / f"{assignment}.json")
