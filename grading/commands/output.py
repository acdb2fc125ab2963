"""How commands print: for people, for programs, and into a folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grading.errors import ExplainedError

if TYPE_CHECKING:
    from rich.console import Console


def print_json(value: Any) -> None:
    """Print a value for programs."""
    import json

    text = json.dumps(value, indent=2, ensure_ascii=False)
    # a name of a file that is no UTF-8 holds halves of characters, which only JSON can spell
    print(re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text))


def console() -> Console:
    """Where lines and tables for people go."""
    from rich.console import Console

    return Console(highlight=False, emoji=False)  # “:warning:” stays what was written


def made(folder: Path) -> Path:
    """Make the folder that files go to.

    Raises:
        ExplainedError: if it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExplainedError(
            f"--folder: {folder} cannot be made ({error.strerror}); expected a folder, or where "
            "one can be made."
        ) from error
    return folder
