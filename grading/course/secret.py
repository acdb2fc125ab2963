"""The course's secret, from which hidden cases are drawn.

This repository is public, and so is all that decides what a hidden case looks like; without a
secret a student could compute the cases, and the answers, before handing in. It lies in the course
folder, is never released, and no kernel can read it. Records that were made with another one stay
as they are; it is needed to draw a submission's cases again as they were drawn.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from collections.abc import Callable
from pathlib import Path

from grading.errors import ExplainedError

WORKING_FOLDER = ".grading"
NAME = "secret"
LENGTH = 32


class SecretError(ExplainedError):
    """There is a secret, but it cannot be used; the sentence says why and what to do."""


def path_of(root: Path) -> Path:
    """Where a course's secret lies."""
    return root / WORKING_FOLDER / NAME


def course_secret(root: Path, log: Callable[[str], None] = print) -> bytes:
    """Read the secret of the course in ``root``; make it if there is none.

    Raises:
        SecretError: if it cannot be read or written, or is not what was written.
    """
    secret = secret_if_any(root)
    if not secret:
        path = path_of(root)
        try:
            _make(path)
        except OSError as error:
            raise SecretError(
                f"{path} cannot be made ({error.strerror}): hidden cases are drawn from this "
                "secret. Make the folder writable for whoever grades."
            ) from error
        log(f"Made {path}, from which hidden cases are drawn: keep it with the gradebook.")
        secret = secret_if_any(root)
    return secret


def secret_if_any(root: Path) -> bytes:
    """Read the secret of the course in ``root``; nothing if this is no course that has graded.

    Raises:
        SecretError: if it cannot be read, or is not what was written.
    """
    path = path_of(root)
    try:
        secret = bytes.fromhex(path.read_text().strip())
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise SecretError(
            f"{path} cannot be read ({error.strerror}): hidden cases are drawn from this secret. "
            "Make it readable for whoever grades, and for nobody else."
        ) from error
    except ValueError:
        secret = b""
    if len(secret) != LENGTH:
        raise SecretError(
            f"{path} holds no secret of {LENGTH} bytes: hidden cases are drawn from it. Put the "
            "file back from a backup, or delete it: then a new one is made, what is recorded "
            "stays, and what is graded from then on gets other cases."
        )
    return secret


def _make(path: Path) -> None:
    """Write a secret so that it is there whole or not at all, and only one of two that are made."""
    path.parent.mkdir(exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{NAME}-")  # mode 600
    try:
        with open(descriptor, "w") as stream:
            stream.write(f"{secrets.token_hex(LENGTH)}\n")
            stream.flush()
            os.fsync(stream.fileno())
        with contextlib.suppress(FileExistsError):  # another run was faster
            os.link(temporary, path)
    finally:
        os.unlink(temporary)
