"""What comes in through nbgrader's exchange, where students share a machine.

Everybody may make folders in its inbound folder: under any name, with links in them that lead
anywhere. nbgrader's own `collect` believes the name (and warns), copies what links lead to with the
rights of whoever collects, and ends at the first folder that cannot be copied. Here the owner of
the folder counts, whom Linux knows; links are left out; and the others are collected all the same.
The hub in `hub/` uses it.
"""

from __future__ import annotations

import datetime
import pwd
import shutil
from pathlib import Path
from typing import Any

from nbgrader.exchange.default import ExchangeCollect
from nbgrader.utils import ignore_patterns


class CollectFromOwners(ExchangeCollect):  # type: ignore[misc]  # nbgrader has no types
    """Collect each folder as a submission of the account that has made it."""

    def owner(self, path: str) -> str:
        """Return the account that has made a folder, or its number if it has no name."""
        uid = Path(path).lstat().st_uid
        try:
            return pwd.getpwuid(uid).pw_name
        except KeyError:
            return str(uid)

    def _path_to_record(self, path: str) -> dict[str, Any]:
        record: dict[str, Any] = super()._path_to_record(path)
        owner = self.owner(path)
        if self.check_owner and record["username"] != owner:
            self.log.warning(
                "%s has a name of %s, but %s has made it: it counts for %s.",
                ascii(path), ascii(record["username"]), owner, owner,
            )  # fmt: skip
            record["username"] = owner
        if Path(path).is_symlink():  # not collected, so it must not stand in the way of another
            record["timestamp"] = datetime.datetime.min
        return record

    def do_copy(self, src: str, dest: str, log: Any = None) -> None:
        """Copy one submission without its links; say which cannot be copied, and why."""
        ours = self.coursedir
        usual = ignore_patterns(ours.ignore, ours.include, ours.max_file_size, self.log)

        def left_out(folder: str, names: list[str]) -> list[str]:
            links = [name for name in names if Path(folder, name).is_symlink()]
            if links:
                self.log.warning("%s: left out, for they are links: %s", ascii(folder), links)
            return [*usual(folder, [name for name in names if name not in links]), *links]

        try:
            if Path(src).is_symlink():
                raise OSError("it is a link")
            if self.get_size(src) > 1000 * ours.max_dir_size:
                raise OSError(f"it is larger than {ours.max_dir_size} kB")
            shutil.copytree(src, dest, ignore=left_out)
        except OSError as error:
            shutil.rmtree(dest, ignore_errors=True)
            self.log.error("%s is not collected: %s", ascii(src), ascii(str(error)))
