"""The accounts of the people on the hub, and the folder of the course in the instructor's home.

They are lines in the hub's own ``/etc/passwd`` (see ``start``). What lasts is a home: it says whose
it is, and the lines are written anew from it whenever the hub starts. Nobody can log in to such an
account but through the hub, because it has no password.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
from pathlib import Path

HOMES = Path("/srv/home")
EXCHANGE = Path("/srv/exchange")
CHECKOUT = Path("/srv/hub/checkout")
COURSE_ID = "transformer"  # as in nbgrader_config.py
FIRST_UID = 70_000  # above those of people and services, below those of containers

_IN_A_COURSE = ("exercises", "grading", "solutions", "models", "nbgrader_config.py")
_NAME = re.compile(r"[a-z][a-z0-9._-]{0,31}")


def ensure(name: str) -> Path:
    """Make the account ``name`` if it is not there; return its home.

    Raises:
        ValueError: if it cannot be the name of an account, or is one of the machine's own.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"{name!r} cannot be an account: use up to 32 of a-z, 0-9, “.”, “_” and “-”."
        )
    home = HOMES / name
    try:
        account = pwd.getpwnam(name)
    except KeyError:
        uid = home.stat().st_uid if home.exists() else _next_uid()
        _append("/etc/passwd", f"{name}:x:{uid}:{uid}::{home}:/bin/bash")
        _append("/etc/group", f"{name}:x:{uid}:")
        _make(home, 0o700, uid)
    else:
        if account.pw_dir != str(home):
            raise ValueError(f"{name!r} is an account of this machine.")
    return home


def ensure_instructor(name: str) -> None:
    """Make the instructor's account, with the course's folder and its place in the exchange.

    Students may make folders in the exchange, too; this one has to be there before them.
    """
    home = ensure(name)
    uid = home.stat().st_uid
    _make(EXCHANGE / COURSE_ID, 0o755, uid)
    course = home / "course"
    if not course.exists():
        copy = home / ".course"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for part in _IN_A_COURSE:
            if (CHECKOUT / part).is_dir():
                unwanted = shutil.ignore_patterns("__pycache__")
                shutil.copytree(CHECKOUT / part, copy / part, ignore=unwanted)
            else:
                shutil.copy(CHECKOUT / part, copy)
        for folder, _, files in os.walk(copy):
            for path in (folder, *(os.path.join(folder, file) for file in files)):
                os.chown(path, uid, uid)
        copy.rename(course)


def _next_uid() -> int:
    return max([FIRST_UID - 1, *(home.stat().st_uid for home in HOMES.iterdir())]) + 1


def _append(file: str, line: str) -> None:
    with open(file, "a") as stream:
        stream.write(f"{line}\n")


def _make(folder: Path, mode: int, uid: int) -> None:
    if not folder.exists():
        folder.mkdir()
        folder.chmod(mode)
        os.chown(folder, uid, uid)
