"""One folder for what a run writes beside its work: nothing is left of a run that was killed.

Whoever starts a run makes the folder and holds a lock in it. The lock ends with the last process of
the run, however that ends; the next run removes the folders of which nobody holds the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = "course-run-"
_VARIABLE = "COURSE_RUN_FOLDER"  # known to the processes that a run starts
_LOCK = "lock"


def folder() -> str | None:
    """Where this run's folders are to be made; None for the usual place."""
    return os.environ.get(_VARIABLE)


@contextlib.contextmanager
def run_folder() -> Iterator[None]:
    """Let the folders of this run lie in one that ends with it."""
    _remove_left()
    path = tempfile.mkdtemp(prefix=PREFIX)
    with open(Path(path, _LOCK), "w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        before = os.environ.get(_VARIABLE)
        os.environ[_VARIABLE] = path
        try:
            yield
        finally:
            if before is None:
                del os.environ[_VARIABLE]
            else:
                os.environ[_VARIABLE] = before
            shutil.rmtree(path, ignore_errors=True)


def _remove_left() -> None:
    """Remove the folders of runs that have ended."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # of another person, or gone meanwhile
            if path.is_symlink() or path.stat().st_uid != os.geteuid():
                continue
            with open(path / _LOCK, "r+") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
