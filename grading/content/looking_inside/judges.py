"""Judges of assignment 11: what it means what the harnesses bring. Released with the assignment.

Nothing here runs beside a student's code when a submission is graded. Each is given what the
harness of its name brought, then the arguments of the case; it gives back what is compared, or
raises a `Finding` whose sentence is shown as it is.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grading.check import Finding, brought, describe, of_any_form, quoted

# ---- A model with parts ------------------------------------------------------------------------


def judge_traces(
    found: dict[str, Any],
    init: list,
    weights: Tensor,
    *arguments: Any,
) -> dict[str, Any]:
    """Whether the model is as it was, whether an error was let through, and what comes next."""
    before, after = brought(found)["before"], found["after"]
    fails = arguments[-1]

    def changed(place: int) -> list[str]:
        return [part for part, was in before.items() if after.get(part, was)[place] != was[place]]

    same = isinstance(found["weights"], Tensor) and torch.equal(weights, found["weights"])

    hooks = {part: after.get(part, was)[1] - was[1] for part, was in before.items()}
    changes = {
        "new hooks": [part for part, more in hooks.items() if more > 0],
        "fewer hooks": [part for part, more in hooks.items() if more < 0],
        "training or evaluation mode": changed(0),
        "attributes": changed(2),
        "`requires_grad`": changed(3),
        "module": found["replaced"],
    }
    said = [f"{what} of {quoted(parts)}" for what, parts in changes.items() if parts]
    said += [] if same else ["weights"]
    judged = {
        "the model": f"changed: {'; '.join(said)}" if said else "as before",
        "the error": "reached the caller" if found["raised"] else _no_error(fails),
    }
    if found["second"] is None:
        return judged
    return {**judged, "the logits of a second call": found["second"]}


def _no_error(fails: bool) -> str:
    return "did not reach the caller" if fails else "none"


# ---- A probe -----------------------------------------------------------------------------------


@of_any_form
def judge_probe_scores_of_constants(found: list[Any], *_: Any) -> Any:
    """The scores, if nothing hangs on a column that is constant in the training examples."""
    one, other = found
    alike = isinstance(other, Tensor) and isinstance(one, Tensor) and one.shape == other.shape
    finite = isinstance(one, Tensor) and bool(one.isfinite().all())
    if finite and not (alike and torch.allclose(one, other, atol=1e-3)):
        raise Finding(
            "The scores hang on what the test examples hold in a column that is constant in the "
            "training examples. That column becomes 0 everywhere."
        )
    return one


# ---- Claims ------------------------------------------------------------------------------------


@of_any_form
def judge_on_tables(found: list[Any], letters: str, tables: list[dict]) -> dict[str, str]:
    """For each of some claims, which tables were said to support it."""
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
    if len(found) != len(tables):
        raise Finding("There is not one answer for each table.")
    supported = {
        letter: [str(number) for number, result in enumerate(found, 1) if letter in result]
        for letter in letters
    }
    return {
        f"claim {letter}": f"supported by tables {', '.join(numbers) or 'none'}"
        for letter, numbers in supported.items()
    }
