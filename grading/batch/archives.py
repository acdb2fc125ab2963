"""Unpack what a learning platform hands over as archives, without being harmed by one.

`nbgrader zip_collect` unpacks archives within archives and does not look at sizes: one of 40 kB
can fill a disk. Here every member is looked at first; an archive that is refused is left out and
named in the log, and the others are unpacked.
"""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO

from nbgrader.plugins import ExtractorPlugin
from nbgrader.plugins.zipcollect import FileNameCollectorPlugin

from grading.batch.submissions import problem_with_id
from grading.limits import MIB, ArchiveLimits, MachineLimits
from grading.settings import trait


class RefusedError(Exception):
    """An archive that is not unpacked; the sentence says why."""


class _BoundedHeader(tarfile.TarInfo):
    """The head of a member, whose long name or other remarks are read into memory as a whole."""

    def _proc_member(self, archive: tarfile.TarFile) -> tarfile.TarInfo:  # tarfile's own hook
        plain = self.type in (*tarfile.REGULAR_TYPES, tarfile.DIRTYPE)
        if not plain and self.size > MachineLimits.header_bytes:
            raise tarfile.ReadError("the head of a member is too long")
        return super()._proc_member(archive)  # type: ignore[misc, no-any-return]


class CheckedCollector(FileNameCollectorPlugin):  # type: ignore[misc]  # nbgrader has no types
    """Take from names of files only ids and names that stay within the folder of submissions."""

    def collect(self, submitted_file: str) -> dict[str, str] | None:
        """Match the name of a file; nothing if it would be written elsewhere."""
        found: dict[str, str] | None = super().collect(submitted_file)
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


class BoundedExtractor(ExtractorPlugin):  # type: ignore[misc]  # nbgrader has no types
    """Unpack archives of plain files whose number and sizes are bounded; archives inside stay."""

    max_bytes = trait(ArchiveLimits, "max_bytes")
    max_members = trait(ArchiveLimits, "max_members")

    def extract(self, archive_path: str, extracted_path: str) -> None:
        """Unpack all archives of a folder, and copy its other files."""
        for found, folders, names in os.walk(archive_path):
            folders.sort()
            target = Path(extracted_path, os.path.relpath(found, archive_path))
            for name in sorted(names):
                path = Path(found, name)
                if path.is_symlink() or not path.is_file():
                    self.log.error("%s is no plain file: it is left out", path)
                    continue
                target.mkdir(parents=True, exist_ok=True)
                if path.suffix not in self.zip_ext:
                    shutil.copy(path, target / name)
                    continue
                self.log.info("Extracting from: %s", path)
                try:
                    self._unpack(path, target / path.stem.removesuffix(".tar"))
                except RefusedError as error:
                    self.log.error("%s is left out: %s", path, error)

    def _unpack(self, path: Path, target: Path) -> None:
        try:
            if zipfile.is_zipfile(path):
                self._unpack_zip(path, target)
            else:
                self._unpack_tar(path, target)
        except RefusedError:
            shutil.rmtree(target, ignore_errors=True)
            raise
        except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError, RuntimeError,
                NotImplementedError, ValueError) as error:  # fmt: skip
            shutil.rmtree(target, ignore_errors=True)
            raise RefusedError(f"it cannot be unpacked ({error}).") from error

    def _unpack_zip(self, path: Path, target: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            self._check(len(members), sum(member.file_size for member in members))
            for member in members:
                kind = stat.S_IFMT(member.external_attr >> 16)
                if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise RefusedError(f"{member.filename!r} is a link or a device.")
                place = _place(target, member.filename)
                if member.is_dir():
                    place.mkdir(parents=True, exist_ok=True)
                else:  # no more is read than the size that was counted
                    _write(place, archive.open(member), member.file_size)

    def _unpack_tar(self, path: Path, target: Path) -> None:
        number = size = 0
        try:  # as a stream: a list of members may be endless
            stream = tarfile.open(path, "r|*", tarinfo=_BoundedHeader)  # noqa: SIM115
        except tarfile.ReadError as error:
            raise RefusedError("it is no archive.") from error
        with stream as archive:
            for member in archive:
                number, size = number + 1, size + member.size
                self._check(number, size)
                place = _place(target, member.name)
                if member.isdir():
                    place.mkdir(parents=True, exist_ok=True)
                elif member.isfile():
                    _write(place, archive.extractfile(member), member.size)
                else:
                    raise RefusedError(f"{member.name!r} is a link or a device.")

    def _check(self, number: int, size: int) -> None:
        if number > self.max_members:
            raise RefusedError(f"it has more than {self.max_members} members.")
        if size > self.max_bytes:
            raise RefusedError(f"unpacked it is larger than {self.max_bytes // MIB} MiB.")


def _place(target: Path, name: str) -> Path:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or name.startswith(("/", "\\")) or ".." in parts or ":" in parts[0]:
        raise RefusedError(f"{name!r} would be written outside its folder.")
    return target.joinpath(*parts)


def _write(place: Path, stream: IO[bytes] | None, size: int) -> None:
    if stream is None:
        raise RefusedError(f"{place.name!r} is no plain file.")
    place.parent.mkdir(parents=True, exist_ok=True)
    with stream as source, open(place, "xb") as copy:
        left = size
        while left > 0 and (block := source.read(min(left, MIB))):
            copy.write(block)
            left -= len(block)
