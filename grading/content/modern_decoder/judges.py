"""Judges of assignment 10: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

from grading.check import Finding


def judge_read_too_much(found: dict[str, Any], *_: Any) -> dict[str, Any]:
    """What came before and after, if the piece that was too long was refused."""
    if found.get("too many") == "no error":
        raise Finding(
            "A piece of more than `room - window + 1` new tokens was taken without a word; raise a "
            "`ValueError`."
        )
    if found.get("too many") != "ValueError":
        raise Finding(
            "A piece of more than `room - window + 1` new tokens led to an error of another type; "
            "raise a `ValueError` before anything is written."
        )
    return {name: value for name, value in found.items() if name != "too many"}
