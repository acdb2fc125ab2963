"""The accounts that servers run under, and the folder of the course in the home of one of them.

Students have an account each. All who teach share one, `instructor`: the course is a folder in its
home, with the gradebook in it. Accounts are lines in the hub's own ``/etc/passwd`` (see ``start``),
and are gone when the hub ends; a home stays, and with it the number of its owner. Nobody can log in
to such an account but through the hub, because it has no password.
"""

from __future__ import annotations

import os
import pwd
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from jupyterhub.spawner import LocalProcessSpawner, set_user_setuid

INSTRUCTOR = "instructor"
TEACHING = "formgrade-transformer"  # the group on the hub, named as nbgrader names it
HOMES = Path("/srv/home")
COURSE = HOMES / INSTRUCTOR / "course"
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


def begin() -> None:
    """Make the accounts that there were, that of those who teach, and the course's folders.

    Students may make folders in the exchange, too; this one has to be there before them.
    """
    for home in HOMES.iterdir():
        ensure(home.name)  # else nobody would know whose a submission is
    home = ensure(INSTRUCTOR)
    uid = home.stat().st_uid
    _make(EXCHANGE / COURSE_ID, 0o755, uid)
    if COURSE.exists():
        return
    copy = home / ".course"  # until it is whole
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
    copy.rename(COURSE)


class AccountSpawner(LocalProcessSpawner):
    """Runs the servers of those who teach under their common account, others under their own."""

    @property
    def teaches(self) -> bool:
        """Whether this person is in the group of those who teach."""
        return any(group.name == TEACHING for group in self.user.groups)

    @property
    def account(self) -> str:
        """The name of the account.

        Raises:
            ValueError: if a student has the name of the account that holds the course.
        """
        if self.teaches:
            return INSTRUCTOR
        if self.user.name == INSTRUCTOR:
            raise ValueError(f"{INSTRUCTOR!r} is the account of those who teach.")
        return self.user.name

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        """Add what a login to the account would set."""
        home = pwd.getpwnam(self.account).pw_dir
        return {**env, "USER": self.account, "HOME": home, "SHELL": "/bin/bash"}

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Become the account, in its home."""
        return set_user_setuid(self.account)

    async def start(self) -> tuple[str, int]:
        """Make the account if it is not there, and start the server."""
        ensure(self.account)
        return await super().start()


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
