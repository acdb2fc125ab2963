"""What several commands take, said once: an assignment, where files go, limits and isolation."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from grading.commands.program import Option, option
from grading.errors import ExplainedError

LIMITS = (
    "Limits",
    "of a submission; all of them, and their reasons: see the chapter for instructors",
)
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}

assignment = click.argument("assignment")
assignment_or_none = click.argument("assignment", required=False)
exercise = option("--exercise", metavar="NAME", help="only this one of the assignment")
folder = option(
    "--folder",
    type=Path,
    default=Path("reports"),
    metavar="FOLDER",
    help="where files go (default: reports)",
)


def for_programs(more: str = "") -> Callable[[Any], Any]:
    """An option for output as JSON."""
    return option("--json", "as_json", is_flag=True, help=f"for programs{more}")


def count(name: str, text: str, default: int | None = None) -> Callable[[Any], Any]:
    """An option whose value is a number from 1 on."""
    return option(name, type=int, default=default, metavar="N", callback=_from_one, help=text)


def _from_one(ctx: click.Context, asked: click.Parameter, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise ExplainedError(f"{asked.opts[0]}: found {value}, expected 1 or more.")
    return value


def isolation(function: Any) -> Any:
    """Options for what a submission may run in instead of the sandbox."""
    container = option(
        "--container",
        default="",
        metavar="IMAGE",
        help="run each submission in a container of Podman or Docker instead of the sandbox",
    )
    insecure = option(
        "--insecure",
        is_flag=True,
        excludes="container",
        help="run without the sandbox: submissions can do whatever you can do",
    )
    return container(insecure(function))


@functools.cache
def limits() -> list[Option]:
    """The limits that have an option, from the table of all limits."""
    from grading.limits import NotebookLimits, SandboxLimits, flags, option_name, reason, shown

    return [
        Option(
            [option_name(limit)],
            type=_size if isinstance(limit.default, int) else _seconds,
            metavar="SIZE" if limit.name == "memory" else "N",
            section=LIMITS,
            help=f"{reason(limit)} (default: {shown(limit)}, or what nbgrader_config.py says)",
        )
        for kind in (NotebookLimits, SandboxLimits)
        for limit in flags(kind)
    ]


def _size(text: str) -> int:
    """Read a number of bytes, such as ``4G`` or ``512MiB``, or any other number."""
    match = re.fullmatch(r"(\d+)\s*([kmg]?)(i?b)?", text, re.IGNORECASE)
    if not match or not int(match[1]):
        raise ValueError(f"found {text!r}, expected a number such as 4G or 300")
    return int(match[1]) * _UNITS[match[2].lower()]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds < float("inf"):
        raise ValueError(f"found {text!r}, expected seconds, at least 0.1")
    return seconds
