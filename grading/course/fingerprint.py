"""One hash over many files: it changes when any of them does.

The book uses it to know when a page must be made again, and the grader to know which records are
out of date. What belongs together is said by patterns, not by lists that somebody has to keep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digest_of(root: Path, patterns: Iterable[str], left_out: Iterable[str] = ()) -> str:
    """Return one hash over the names and contents of the files that match the patterns.

    Args:
        root: the folder that the patterns start from.
        patterns: as :meth:`pathlib.Path.glob` has them.
        left_out: patterns of files that do not count.
    """
    digest = hashlib.sha256()
    for file in sorted(_matching(root, patterns) - _matching(root, left_out)):
        digest.update(file.relative_to(root).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _matching(root: Path, patterns: Iterable[str]) -> set[Path]:
    return {file for pattern in patterns for file in root.glob(pattern) if file.is_file()}
