"""Unpack what a learning platform hands over as archives, without being harmed by one.

`nbgrader zip_collect` unpacks archives within archives and does not look at sizes: one of 40 kB
can fill a disk. Here every member is looked at first; a member that cannot be taken is left out and
named in the log, so is an archive that is too large, and the rest is unpacked. Whose the files are
is read from their names.
"""

from __future__ import annotations

import errno
import functools
import itertools
import os
import re
import shutil
import stat
import tarfile
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, Any

from nbgrader.api import Gradebook
from nbgrader.plugins import ExtractorPlugin
from nbgrader.plugins.zipcollect import FileNameCollectorPlugin

from grading.content.release import RELEASED
from grading.course import identities
from grading.course.identities import worksheet
from grading.course.submissions import TIMESTAMP, problem_with_id
from grading.limits import MIB, ArchiveLimits, MachineLimits
from grading.running.settings import trait


class RefusedError(Exception):
    """An archive that is not unpacked; the sentence says why."""


class LeftOutError(Exception):
    """A member that is not unpacked, unlike the rest of its archive; the sentence says why."""


class _BoundedHeader(tarfile.TarInfo):
    """The head of a member, whose long name or other remarks are read into memory as a whole."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:  # tarfile's own hook
        plain = self.type in (*tarfile.REGULAR_TYPES, tarfile.DIRTYPE)
        if not plain and self.size > MachineLimits.header_bytes:
            raise tarfile.ReadError("the head of a member is too long")
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]


class CheckedCollector(FileNameCollectorPlugin):  # type: ignore[misc]  # nbgrader has no types
    """Take submissions from archives that Canvas and Moodle made, and lose none without a word.

    Names of another form are read with ``named_regexp``, as nbgrader does. Ids and names that would
    leave the folder of submissions are refused. What could not be collected makes the command fail,
    after the rest was collected.
    """

    _plan: _Plan | None = None

    def __init__(self, **kw: Any) -> None:
        super().__init__(**kw)
        if self.parent is not None:  # nbgrader asks for names of files, and ends with success
            nbgraders_own = functools.partial(
                type(self.parent).process_extracted_files, self.parent
            )
            self.parent.process_extracted_files = functools.partial(
                self._collect_and_tell, nbgraders_own
            )

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Say whose a file is and what it is called; nothing if it is not to be collected."""
        if self._plan is None:
            return self._by_regexp(submitted_file)
        return self._plan.taken.get(submitted_file)

    def _by_regexp(self, submitted_file: str) -> dict[str, Any] | None:
        if not self.named_regexp:
            return None
        found: dict[str, Any] | None = super().collect(submitted_file)
        if not found:
            return None
        student, file = str(found.get("student_id", "")), str(found.get("file_id", ""))
        problem = problem_with_id(student)
        parts = PurePosixPath(file).parts
        if not problem and (not parts or file.startswith("/") or ".." in parts):
            problem = f"The name {file!a} would be written outside its folder."
        if problem:
            self.log.error("%s is left out: %s", ascii(submitted_file), problem)
            return None
        return found

    def _collect_and_tell(self, nbgraders_own: Callable[[], None]) -> None:
        """Collect as nbgrader does, by a plan that is made first; say what came of it."""
        app = self.parent
        coursedir, assignment = app.coursedir, app.coursedir.assignment_id
        archives = Path(app._format_collect_path(app.archive_directory))
        extracted = Path(app._format_collect_path(app.extracted_directory))
        with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
            roster = identities.persons(gradebook)
        released = coursedir.format_path(coursedir.release_directory, ".", assignment)
        plan = self._plan = _Plan(
            register=identities.Register(roster, identities.collected_before(Path(coursedir.root))),
            rows=[row for path in sorted(archives.glob("*.csv")) if (row := worksheet(path))],
            notebooks={path.name for path in Path(released).glob("*.ipynb")},
            is_there=lambda student: self._is_there(student, assignment),
        )
        plan.make(extracted, self._by_regexp)
        if plan.taken:
            nbgraders_own()
            identities.write_collected(Path(coursedir.root), assignment, plan.found)
        refused = getattr(app.extractor_plugin_inst, "refused", [])
        for text in (*plan.notes, *(f"Not collected: {text}" for text in plan.problems)):
            self.log.warning("%s", text)
        students = {info["student_id"] for info in plan.taken.values()}
        late = sorted(s for s, origin in plan.found.items() if origin.late and s in students)
        if late:
            self.log.warning("Late, by their names in the archive: %s", ", ".join(late))
        problems = len(plan.problems) + len(refused)
        done = f"{_submissions(len(students))} collected"
        if not students and not problems:
            app.fail(
                f"Nothing is collected: there is no submission in {archives}. Put the archive that "
                "the learning platform gives you there, as it is, and run this command again."
            )
        if problems:
            app.fail(f"{done}, {problems} not: see above. Nothing else was left out.")
        self.log.info("%s, none left out.", done)

    def _is_there(self, student: str, assignment: str) -> bool:
        """Whether a submission would be replaced without having been asked to."""
        coursedir = self.parent.coursedir
        folder = Path(coursedir.format_path(coursedir.submitted_directory, student, assignment))
        return not self.parent.force and folder.is_dir() and any(folder.iterdir())


@dataclass
class _Plan:
    """Which files are collected as whose, and what is left out.

    ``rows``: of grading worksheets. ``taken``: by path, what nbgrader asks a collector for.
    ``found``: students to the origins of their submissions. ``problems`` is each a submission that
    is not collected, ``notes`` is what else is worth a word.
    """

    register: identities.Register
    rows: list[dict[str, identities.Row]]
    notebooks: set[str]
    is_there: Callable[[str], bool]
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    found: dict[str, identities.Origin] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def make(self, extracted: Path, otherwise: Callable[[str], dict[str, Any] | None]) -> None:
        """Look at all files that were unpacked."""
        submissions: dict[tuple[str, str, str], list[tuple[str, identities.File]]] = {}
        for path in sorted(str(p) for p in extracted.rglob("*") if p.is_file()):
            relative = Path(path).relative_to(extracted)
            if _is_of_macos(relative):
                continue
            info = otherwise(path)
            file = None if info else identities.read_name(str(relative))
            if info:
                self.taken[path] = info
            elif file:
                origin = file.origin
                key = (origin.platform, origin.number, origin.name)
                submissions.setdefault(key, []).append((path, file))
            elif not (path.endswith(".csv") and worksheet(Path(path))):
                self.problems.append(
                    f"{Path(path).name!r}, whose name is neither Canvas's nor Moodle's. If it is a "
                    "submission, say in c.FileNameCollectorPlugin.named_regexp how to read it."
                )
        whose: dict[str, list[list[tuple[str, identities.File]]]] = {}
        for files in submissions.values():
            origin = files[0][1].origin
            row = self._row(origin)
            origin.email = row.email if row else ""
            student = self.register.student(origin)
            whose.setdefault(student, []).append(files)
            self.register.before.append((student, origin))
        for student, several in whose.items():
            if len(several) > 1:
                self.problems.append(
                    f"the submissions of {len(several)} students who would all be {student!r}. "
                    "Moodle's grading worksheet, put beside the archive, tells them apart."
                )
            else:
                self._take(student, several[0])

    def _row(self, origin: identities.Origin) -> identities.Row | None:
        if origin.platform != identities.MOODLE:
            return None
        rows = [rows[origin.number] for rows in self.rows if origin.number in rows]
        named = [row for row in rows if identities.plain(row.name) in identities.plain(origin.name)]
        return named[0] if named else None

    def _take(self, student: str, files: list[tuple[str, identities.File]]) -> None:
        origin = files[0][1].origin
        notebooks = [(path, file) for path, file in files if path.lower().endswith(".ipynb")]
        problem = problem_with_id(student)
        if not notebooks:
            names = ", ".join(repr(file.name) for _, file in files)
            problem = f"there is no notebook, only {names}."
        elif self.is_there(student):
            problem = "it is in the folder of submissions already; --force replaces it."
        if problem:
            self.problems.append(f"{student!r}: {problem}")
            return
        row = self._row(origin)
        taken: dict[str, tuple[str, identities.File]] = {}
        for path, file in sorted(files, key=_newest_and_outermost_first):
            name = self._own_name(file)
            if name in (*RELEASED, TIMESTAMP):  # the course's own, and a time that nobody chooses
                continue
            if name in taken:
                newer, name = taken[name][1], _free(file, taken)
                older = file.name if file.number else file.origin.place
                if len(os.fsencode(name)) > _NAME_BYTES:
                    self.problems.append(f"{student!r}: {older!r}, whose name is too long.")
                    continue
                word = "newer than" if file.number else "called like"
                self.notes.append(f"{student}: {newer.name!r} is {word} {older!r}, which is kept "
                                  f"as {name!r}.")  # fmt: skip
            taken[name] = path, file
        for name, (path, _) in taken.items():
            # nbgrader puts the ending of the path behind the name without its ending
            info = {"student_id": student, "file_id": name}
            self.taken[path] = {**info, "timestamp": row.modified if row else None}
        main = next((f for name, (_, f) in taken.items() if name in self.notebooks), None)
        self.found[student] = replace(
            (main or notebooks[0][1]).origin, email=origin.email, late=origin.late
        )

    def _own_name(self, file: identities.File) -> str:
        """A file's name as the student gave it: Canvas numbers those that are handed in again."""
        plain = re.sub(r"-\d+(\.\w+)$", r"\1", file.name)
        return plain if plain in self.notebooks else file.name


def _newest_and_outermost_first(item: tuple[str, identities.File]) -> tuple[int, int]:
    return -item[1].number, item[1].origin.place.count("/")


def _free(file: identities.File, taken: Collection[str]) -> str:
    """A name that nothing has yet; Moodle's files have no numbers of their own."""
    if file.name not in taken:
        return file.name
    numbers = itertools.chain([file.number] * bool(file.number), itertools.count(len(taken)))
    return next(name for n in numbers if (name := f"{n}_{file.name}") not in taken)


def _is_of_macos(path: Path) -> bool:
    return "__MACOSX" in path.parts or path.name.startswith(("._", ".DS_Store"))


def _submissions(number: int) -> str:
    return f"{number} submission{'' if number == 1 else 's'}"


class BoundedExtractor(ExtractorPlugin):  # type: ignore[misc]  # nbgrader has no types
    """Unpack archives of plain files whose number and sizes are bounded; archives inside stay."""

    max_bytes = trait(ArchiveLimits, "max_bytes")
    max_members = trait(ArchiveLimits, "max_members")
    max_depth = trait(ArchiveLimits, "max_depth")

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpack all archives of a folder, and copy its other files."""
        self.refused: list[str] = []
        for found, folders, names in os.walk(archive_path):
            folders.sort()
            target = Path(extracted_path, os.path.relpath(found, archive_path))
            for name in sorted(names):
                path = Path(found, name)
                if path.is_symlink() or not path.is_file():
                    self.log.error("%s is no plain file: it is left out", path)
                    self.refused.append(str(path))
                    continue
                target.mkdir(parents=True, exist_ok=True)
                # what has the name of a submission's file is one, though it may be an archive: some
                # systems unpack a platform's archive by themselves
                own = identities.read_name(os.path.relpath(path, archive_path))
                if own or path.suffix not in self.zip_ext:
                    shutil.copy(path, target / name)
                    continue
                self.log.info("Extracting from: %s", path)
                try:
                    self._unpack(path, target / path.stem.removesuffix(".tar"))
                except RefusedError as error:
                    self.log.error("%s is left out: %s", path, error)
                    self.refused.append(str(path))

    def _unpack(self, path: Path, target: Path) -> None:
        def member(name: str, kind: int, size: int, stream: Callable[[], IO[bytes] | None]) -> None:
            try:
                _unpack_member(self._place(target, name), kind, size, stream)
            except LeftOutError as error:
                shown = repr(name if len(name) <= 100 else f"{name[:100]}…")
                self.log.error("%s: %s is left out: %s", path, shown, error)
                self.refused.append(f"{path}: {shown}")

        try:
            if zipfile.is_zipfile(path):
                self._unpack_zip(path, member)
            else:
                self._unpack_tar(path, member)
        except RefusedError:
            shutil.rmtree(target, ignore_errors=True)
            raise
        except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError, RuntimeError,
                NotImplementedError, ValueError) as error:  # fmt: skip
            shutil.rmtree(target, ignore_errors=True)
            raise RefusedError(f"it cannot be unpacked ({error}).") from error

    def _unpack_zip(self, path: Path, unpack: _UnpackMember) -> None:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            self._check(len(members), sum(member.file_size for member in members))
            for member in members:
                kind = stat.S_IFMT(member.external_attr >> 16) or stat.S_IFREG
                if member.is_dir() and kind == stat.S_IFREG:
                    kind = stat.S_IFDIR
                # no more is read than the size that was counted
                stream = functools.partial(archive.open, member)
                unpack(member.filename, kind, member.file_size, stream)

    def _unpack_tar(self, path: Path, unpack: _UnpackMember) -> None:
        number = size = 0
        try:  # as a stream: a list of members may be endless
            stream = tarfile.open(path, "r|*", tarinfo=_BoundedHeader)  # noqa: SIM115
        except tarfile.ReadError as error:
            raise RefusedError("it is no archive.") from error
        with stream as archive:
            for member in archive:
                number, size = number + 1, size + member.size
                self._check(number, size)
                kind = stat.S_IFDIR if member.isdir() else stat.S_IFREG if member.isfile() else 0
                content = functools.partial(archive.extractfile, member)
                unpack(member.name, kind, member.size, content)

    def _check(self, number: int, size: int) -> None:
        if number > self.max_members:
            raise RefusedError(f"it has more than {self.max_members} members.")
        if size > self.max_bytes:
            raise RefusedError(f"unpacked it is larger than {self.max_bytes // MIB} MiB.")

    def _place(self, target: Path, name: str) -> Path:
        """Where a member goes. A backslash is part of a name, or Canvas's names could be forged."""
        parts = PurePosixPath(name.replace("\\", "_")).parts
        if not parts or name.startswith("/") or ".." in parts:
            raise LeftOutError("it would be written outside its folder.")
        if len(parts) > self.max_depth:
            raise LeftOutError(f"it lies in more than {self.max_depth} folders.")
        return target.joinpath(*parts)


_UnpackMember = Callable[[str, int, int, Callable[[], IO[bytes] | None]], None]
_NAME_BYTES = 255  # of a file or a folder, as file systems have it


def _unpack_member(
    place: Path, kind: int, size: int, stream: Callable[[], IO[bytes] | None]
) -> None:
    if kind not in (stat.S_IFREG, stat.S_IFDIR):
        raise LeftOutError("it is a link or a device.")
    try:
        (place if kind == stat.S_IFDIR else place.parent).mkdir(parents=True, exist_ok=True)
        copy = open(place, "xb") if kind == stat.S_IFREG else None  # noqa: SIM115
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise LeftOutError("a file or a folder of this name came before it.") from error
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        raise LeftOutError("its name is too long.") from error
    if copy is None:
        return
    with copy:
        source = stream()
        if source is None:
            raise RefusedError(f"{place.name!r} is no plain file.")
        with source:
            while size > 0 and (block := source.read(min(size, MIB))):
                copy.write(block)
                size -= len(block)
