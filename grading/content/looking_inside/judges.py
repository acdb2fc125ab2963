"""Judges of assignment 11: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, describe, quoted

# ---- A model with parts ------------------------------------------------------------------------


def judge_traces(
    found: dict[str, Any],
    init: list,
    weights: Tensor,
    *arguments: Any,
) -> dict[str, str]:
    """Whether the model is as it was, and whether an error was let through."""
    before, after = found["before"], found["after"]
    fails = arguments[-1]

    def changed(place: int) -> list[str]:
        return [part for part, was in before.items() if after.get(part, was)[place] != was[place]]

    same = isinstance(found["weights"], Tensor) and torch.equal(weights, found["weights"])

    def said(parts: list[str]) -> str:
        return f"changed: {quoted(parts)}" if parts else "as before"

    return {
        "the hooks": said(changed(1)),
        "training or evaluation mode": said(changed(0)),
        "the parts and their forward": said([*found["replaced"], *changed(2)]),
        "the weights": "as before" if same else "changed",
        "the error": "reached the caller" if found["raised"] else _no_error(fails),
    }


def _no_error(fails: bool) -> str:
    return "did not reach the caller" if fails else "none"


# ---- Claims ------------------------------------------------------------------------------------


def judge_on_tables(found: list[Any], letters: str, tables: list[dict]) -> dict[str, Tensor]:
    """For each of some claims, for which tables it was said to be supported."""
    for result in found:
        if result is None:
            raise Finding("It returned None; expected a list of letters. Is `return` missing?")
        if isinstance(result, str):
            result = list(result)
        if not isinstance(result, tuple | list) or not all(isinstance(r, str) for r in result):
            raise Finding(f"It returned {describe(result)}; expected a list of letters.")
        unknown = [letter for letter in result if letter not in ("A", "B", "C", "D", "E")]
        if unknown:
            raise Finding(f"There is no claim {quoted(unknown)}; the claims are `A` to `E`.")
    return {
        f"claim {letter}": torch.tensor([letter in result for result in found])
        for letter in letters
    }
