"""Find what students handed in and read it as bytes; what is dangerous to read is refused.

Nothing is parsed or executed here. Links are not followed, devices not opened, sizes looked at
before reading. A submission that is refused still counts as one: its reason becomes its record.
"""

from __future__ import annotations

import datetime
import fnmatch
import glob
import hashlib
import itertools
import os
import re
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from dateutil.tz import gettz  # type: ignore[import-untyped]
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import parse_utc

from grading.limits import MIB, SubmissionLimits


class UnreadableError(Exception):
    """What was handed in holds no notebook; the sentence says why."""


@dataclass
class Submission:
    """What one student handed in. ``problem``: the sentence that says why it cannot be graded.

    ``gradable``: False if not even a record in the gradebook is possible, as with an impossible id.
    """

    student: str
    notebooks: dict[str, bytes] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problem: str = ""
    gradable: bool = True

    def hash(self) -> str:
        """A hash of everything that was handed in, and of what was refused of it."""
        digest = hashlib.sha256()
        for name, content in sorted({**self.notebooks, **self.files}.items()):
            digest.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
        digest.update("\0".join([self.problem, *self.notes]).encode())
        return digest.hexdigest()


def find(coursedir: CourseDirectory, assignment: str) -> dict[str, Path]:
    """Map the students who handed something in to their folders, as nbgrader looks for them."""
    step = coursedir.submitted_directory
    pattern = coursedir.format_path(step, "\0", assignment)
    pattern = glob.escape(pattern).replace("\0", "*")
    regexp = coursedir.format_path(step, "(?P<student>.*)", re.escape(assignment), escape=True)
    found = {}
    for folder in sorted(glob.glob(pattern)):
        match = re.fullmatch(regexp, folder, re.DOTALL)
        if match:
            found[match["student"]] = Path(folder)
    return found


def read(student: str, folder: Path, ignore: list[str]) -> Submission:
    """Read one student's folder, or say why not."""
    problem = problem_with_id(student)
    if problem:
        return Submission(_shown(student), problem=problem, gradable=False)
    submission = Submission(student)
    for part in (folder.parent, folder):  # the student's folder and the assignment's
        if part.is_symlink():
            submission.problem = f"The folder {part.name} is a link, which is not followed."
            return submission
    if not folder.is_dir():
        submission.problem = f"{folder.name} is a file, expected a folder with the notebook."
        return submission
    try:
        for name, descriptor in _plain_files(folder, submission, ignore):
            _take(submission, name, descriptor)
    except OSError as error:
        submission.notebooks.clear()
        submission.files.clear()
        submission.problem = f"Its files cannot be read: {error.strerror}."
    within = [_shown(name) for name in submission.files if name.lower().endswith(".ipynb")]
    if within and not submission.notebooks:
        submission.problem = (
            f"There is no notebook but in a folder: found {', '.join(within[:3])}, expected it "
            "outside of all folders. Hand it in again without its folder."
        )
    if TIMESTAMP in submission.files and handed_in(submission) is None:
        submission.notes.append(
            f"{TIMESTAMP} holds no time that is understood: nobody can say whether it was late."
        )
    return submission


TIMESTAMP = "timestamp.txt"  # nbgrader's


def handed_in(submission: Submission) -> datetime.datetime | None:
    """When a submission was handed in, as far as it is known."""
    return _time(submission.files.get(TIMESTAMP, b""))


def existing_timestamp(coursedir: CourseDirectory, folder: str) -> datetime.datetime | None:
    """Do what nbgrader's method of this name does, whatever is called like the file.

    A link is not followed, nothing is waited for, and what is no time is as good as none.
    """
    try:
        with plain_file(Path(folder, TIMESTAMP)) as stream:
            return _time(stream.read(200))
    except OSError:
        return None


def _time(content: bytes) -> datetime.datetime | None:
    text = content[:200].decode("utf-8", "replace").strip()
    # nbgrader takes "+0200" for seconds, and a time zone that it does not know for UTC
    text = re.sub(r" ([+-]\d\d):?(\d\d)$", r"\1:\2", text)
    zone = re.search(r" ([^\d\s]\S*)$", text)
    if not text or (zone and (not _ZONE.fullmatch(zone[1]) or gettz(zone[1]) is None)):
        return None
    try:
        when: datetime.datetime | None = parse_utc(text)
    except (ValueError, OverflowError):
        return None
    return when


_ZONE = re.compile(r"[A-Za-z]+(?:[/_][A-Za-z]+)*")  # a name, and no path


def find_all_files(path: str, exclude: list[str] | None = None) -> list[str]:
    """Do what nbgrader's function of this name does, in time that is proportional to the files.

    Links that lead nowhere, or round in circles, are left out: they cannot be copied.
    """

    def ignored(name: str) -> bool:
        shown = [e for e in exclude or [] if name[:1] != "." or e[:1] == "."]  # as `glob` has it
        return any(fnmatch.fnmatchcase(name, pattern) for pattern in shown)

    files = []
    for folder, folders, names in os.walk(path):
        if ignored(os.path.basename(folder)):
            folders.clear()
            continue
        paths = (os.path.join(folder, name) for name in names if not ignored(name))
        files += [file for file in paths if os.path.exists(file)]
    return files


def plain_file(path: Path) -> IO[bytes]:
    """Open what may be anything: no link is followed, no pipe waited for.

    Raises:
        OSError: if it cannot be opened; without a ``strerror`` if it is no plain file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError("it is no plain file")
    return os.fdopen(descriptor, "rb")


def read_notebook(path: Path) -> bytes:
    """Read a single notebook file with the same care.

    Raises:
        UnreadableError: if it is a link, no file, or too large.
    """
    if path.is_symlink() or path.parent.is_symlink() or path.parent.parent.is_symlink():
        raise UnreadableError(f"{path.name} is a link, which is not followed.")
    try:
        stream = plain_file(path)
    except OSError as error:
        why = f"cannot be read: {error.strerror}" if error.strerror else "is no plain file"
        raise UnreadableError(f"{path.name} {why}.") from error
    with stream:
        content = _notebook(stream, SubmissionLimits.outputs_bytes)
    if content is None:
        raise UnreadableError(f"{path.name} is too large ({path.stat().st_size / MIB:.0f} MiB).")
    return content


def problem_with_id(student: str) -> str:
    """Say why an id cannot be used, or nothing."""
    shown = _shown(student)
    limit = SubmissionLimits.id_characters
    if len(student) > limit:
        return f"The id {shown} has {len(student)} characters; the gradebook takes {limit}."
    apart = student if _QUOTE.search(student) else student.replace("'", "")  # O'Brien is a name
    strange = not _is_plain(student) or any(c in "<>\"&'`\\/|" for c in apart)
    if strange or student.strip() != student or student in ("", ".", ".."):
        return f"The id {shown} cannot be used: rename the folder to a plain name."
    return ""


_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")  # an apostrophe that does not stand within a word


def _shown(student: str) -> str:
    """An id that can be printed, stored and told apart from others."""
    text = student if _is_plain(student) else ascii(student)[1:-1]
    if len(text) > 100:
        text = f"{text[:80]}…{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return text


def _is_plain(name: str) -> bool:
    """No control character, no byte that is no text, nothing invisible."""
    return not any(unicodedata.category(c).startswith("C") for c in name)


def _plain_files(
    folder: Path, submission: Submission, ignore: list[str]
) -> Iterator[tuple[str, int]]:
    """Open every regular file, deepest last, with its name relative to the folder."""
    waiting = [(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW), "", 0)]
    count = 0
    try:
        while waiting:
            directory, prefix, depth = waiting.pop(0)
            try:
                for name in _names(directory, notebooks_first=not prefix):
                    if _ignored(name, ignore):
                        continue
                    count += 1
                    if count > SubmissionLimits.files:
                        submission.notes.append(
                            f"Only {SubmissionLimits.files} of its files and folders are read."
                        )
                        return
                    shown = _shown(prefix + name)
                    if not _is_plain(name):
                        submission.notes.append(
                            f"{shown} has characters in its name that are no text; it is left out."
                        )
                        continue
                    try:
                        opened = os.open(
                            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory
                        )
                    except OSError as error:
                        link = error.errno in (40, 62)  # ELOOP on Linux, macOS
                        why = "is a link" if link else f"cannot be read: {error.strerror}"
                        submission.notes.append(f"{shown} {why}; it is left out.")
                        continue
                    mode = os.fstat(opened).st_mode
                    if stat.S_ISDIR(mode) and depth < SubmissionLimits.depth:
                        waiting.append((opened, f"{prefix}{name}/", depth + 1))
                    elif stat.S_ISREG(mode):
                        yield prefix + name, opened
                    else:
                        os.close(opened)
                        submission.notes.append(f"{shown} is no plain file; it is left out.")
            finally:
                os.close(directory)
    finally:
        for directory, _, _ in waiting:
            os.close(directory)


def _names(directory: int, notebooks_first: bool) -> list[str]:
    """The names in a folder, in order; what is asked for must not be lost among other files."""
    with os.scandir(directory) as entries:
        names = [entry.name for entry in itertools.islice(entries, SubmissionLimits.names)]
    return sorted(names, key=lambda name: (not (notebooks_first and _is_notebook(name)), name))


def _is_notebook(name: str) -> bool:
    return name.lower().endswith(".ipynb") and "/" not in name


def _ignored(name: str, ignore: list[str]) -> bool:
    return any(Path(name).match(pattern) for pattern in ignore)


def _take(submission: Submission, name: str, descriptor: int) -> None:
    with os.fdopen(descriptor, "rb") as stream:
        taken = sum(map(len, [*submission.notebooks.values(), *submission.files.values()]))
        left = SubmissionLimits.all_bytes - taken
        if _is_notebook(name):
            kept, content = submission.notebooks, _notebook(stream, left)
        else:
            kept = submission.files
            content = _all_of(stream, min(left, SubmissionLimits.file_bytes))
        if content is None:
            mib = f"{os.fstat(descriptor).st_size / MIB:.0f} MiB"
            submission.notes.append(f"{name} is too large ({mib}) and was not read.")
        else:
            kept[name] = content


# A text without its last quote goes on to the end; else each quote in it would be tried as a first.
_QUOTED = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)


def _notebook(stream: IO[bytes], limit: int) -> bytes | None:
    """Read a notebook; None if it is too large.

    Pictures and printed text make honest notebooks large, and as texts they take little more room
    when they are parsed. Lists within lists take ten times as much.
    """
    content = _all_of(stream, min(limit, SubmissionLimits.outputs_bytes))
    if content is None or len(content) <= SubmissionLimits.notebook_bytes:
        return content
    left, end = SubmissionLimits.notebook_bytes, 0
    for text in _QUOTED.finditer(content):  # of which no copy is made, and whose quotes count
        left -= text.start() - end + len('""')
        end = text.end()
        if left < 0:
            return None
    return content if left >= len(content) - end else None


def _all_of(stream: IO[bytes], limit: int) -> bytes | None:
    content = stream.read(limit + 1)
    return content if len(content) <= limit else None
