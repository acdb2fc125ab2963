"""How limits are set: as traits in `nbgrader_config.py`, and as options of the command line.

Names, defaults and help come from :mod:`grading.limits`. An option outweighs the file, and the
file the default.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import fields
from typing import Any

from traitlets import Float, Integer

from grading.limits import Limits, NotebookLimits, SandboxLimits, flags, option_name, reason, shown

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def trait(limits: type[Limits], name: str) -> Any:
    """Return the trait that sets a limit; it refuses what is no number above zero."""
    (limit,) = (limit for limit in fields(limits) if limit.name == name)
    kind: Any = Integer if isinstance(limit.default, int) else Float
    least = 1 if kind is Integer else 0.1
    return kind(limit.default, min=least, help=reason(limit)).tag(config=True)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Describe the limits that have an option."""
    group = parser.add_argument_group(
        "limits", "of a submission; all of them, and their reasons: see the chapter for instructors"
    )
    for limits in (NotebookLimits, SandboxLimits):
        for limit in flags(limits):
            group.add_argument(
                option_name(limit),
                type=_size if isinstance(limit.default, int) else _seconds,
                metavar="SIZE" if limit.name == "memory" else "N",
                help=f"{reason(limit)} (default: {shown(limit)}, or what nbgrader_config.py says)",
            )


def given_flags(limits: type[Limits], options: argparse.Namespace) -> dict[str, Any]:
    """Return the limits for which an option was typed."""
    found = {limit.name: getattr(options, limit.name) for limit in flags(limits)}
    return {name: value for name, value in found.items() if value is not None}


def _size(text: str) -> int:
    """Read a number of bytes, such as ``4G`` or ``512MiB``, or any other number."""
    match = re.fullmatch(r"(\d+)\s*([kmg]?)(i?b)?", text, re.IGNORECASE)
    if not match or not int(match[1]):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected a number such as 4G or 300")
    return int(match[1]) * _UNITS[match[2].lower()]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"found {text!r}, expected seconds, at least 0.1")
    return seconds
