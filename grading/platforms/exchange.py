"""What comes in through nbgrader's exchange, where students share a machine.

Everybody may make folders in its inbound folder: under any name, with links in them that lead
anywhere. nbgrader's own `collect` believes the name (and warns), copies what links lead to with the
rights of whoever collects, and ends at the first folder that cannot be copied. Here the owner of
the folder counts, whom Linux knows; links, and files of others, are left out; and the others are
collected all the same. The hub in `hub/` uses it.

A student may change the folder while it is copied, so what a name stood for a moment ago counts
for nothing: everything is opened once, from the folder that is open already, and what is open is
judged.
"""

from __future__ import annotations

import datetime
import errno
import os
import pwd
import shutil
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import ignore_patterns

from grading.limits import MIB, SubmissionLimits


class CollectFromOwners(ExchangeCollect):  # type: ignore[misc]  # nbgrader has no types
    """Collect each folder as a submission of the account that has made it."""

    src_records: list[dict[str, Any]]

    def owner(self, path: str) -> str:
        """Return the account that has made a folder, or its number if it has no name."""
        uid = Path(path).lstat().st_uid
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return str(uid)

    def _path_to_record(self, path: str) -> dict[str, Any]:
        try:
            record: dict[str, Any] = super()._path_to_record(path)
        except (ValueError, OverflowError):
            self.log.warning("%s has no time in its name: it counts as the oldest.", ascii(path))
            name = os.path.basename(path)
            student = name.rsplit("+", 3)[0]
            record = {"username": student, "filename": name, "timestamp": datetime.datetime.min}
        if not os.path.isdir(path) or os.path.islink(path):
            # not collected, so it must not stand in the way of another
            record["timestamp"] = datetime.datetime.min
        try:
            owner = self.owner(path)
        except FileNotFoundError:  # its owner took it back a moment ago
            return record
        if self.check_owner and record["username"] != owner:
            self.log.warning(
                "%s has a name of %s, but %s has made it: it counts for %s.",
                ascii(path), ascii(record["username"]), owner, owner,
            )  # fmt: skip
            record["username"] = owner
        return record

    def copy_files(self) -> None:
        """Collect one after the other, so that none keeps the next from being collected."""
        records = self.src_records
        for record in records:
            self.src_records = [record]
            try:
                super().copy_files()
            except OSError as error:
                name, why = ascii(record["filename"]), ascii(str(error))
                self.log.error("%s is not collected: %s", name, why)
        if not records:
            super().copy_files()  # says so

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy one submission without its links; say which cannot be copied, and why."""
        ours = self.coursedir
        ignored = ignore_patterns(ours.ignore, ours.include, ours.max_file_size, self.log)
        try:
            if Path(src).is_symlink():
                raise OSError("it is a link")
            folder = os.open(src, _AS_IT_IS | os.O_DIRECTORY)
            copied = _Copy(src, os.fstat(folder).st_uid, ignored, ours.max_dir_size)
            copied.take_folder(folder, "", Path(dest), SubmissionLimits.depth)
        except OSError as error:
            shutil.rmtree(dest, ignore_errors=True)
            self.log.error("%s is not collected: %s", ascii(src), ascii(str(error)))
            return
        for name, why in copied.left_out.items():
            self.log.warning("%s: %s is left out: %s", ascii(src), ascii(name), why)


_AS_IT_IS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # no link is followed, no pipe waited for


@dataclass
class _Copy:
    """A submission while it is copied: whose it is, what may still come, what was left out."""

    source: str
    owner: int
    ignored: Callable[[str, list[str]], list[str]]
    most: int  # kB
    taken: int = 0
    left_out: dict[str, str] = field(default_factory=dict)

    def take_folder(self, folder: int, inside: str, dest: Path, deeper: int) -> None:
        """Copy an open folder, and close it; ``inside`` is where it lies in the submission."""
        try:
            dest.mkdir()
            names = os.listdir(folder)
            ignored = set(self.ignored(os.path.join(self.source, inside), names))
            for name in sorted(set(names) - ignored):
                self._take(folder, name, os.path.join(inside, name), dest / name, deeper)
        finally:
            os.close(folder)

    def _take(self, folder: int, name: str, shown: str, dest: Path, deeper: int) -> None:
        try:
            opened = os.open(name, _AS_IT_IS, dir_fd=folder)
        except OSError as error:
            link = error.errno == errno.ELOOP
            self.left_out[shown] = "it is a link" if link else f"{error.strerror}"
            return
        found = os.fstat(opened)
        if stat.S_ISDIR(found.st_mode) and deeper:
            self.take_folder(opened, shown, dest, deeper - 1)
            return
        try:
            if stat.S_ISDIR(found.st_mode):
                self.left_out[shown] = "it lies too deep"
            elif not stat.S_ISREG(found.st_mode):
                self.left_out[shown] = "it is no plain file"
            elif found.st_uid != self.owner:  # such as a hard link
                self.left_out[shown] = "it belongs to another account than the submission"
            else:
                self._take_file(opened, dest)
        finally:
            os.close(opened)

    def _take_file(self, opened: int, dest: Path) -> None:
        """Copy what is in a file; its mode stays behind, for the copy belongs to who collects."""
        with open(dest, "xb") as target:
            while content := os.read(opened, MIB):
                self.taken += len(content)
                if self.taken > 1000 * self.most:
                    raise OSError(f"it is larger than {self.most} kB")
                target.write(content)
