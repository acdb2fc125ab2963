"""What a harness brought is judged here, far from who was called."""

from __future__ import annotations

from typing import Any

from grading.check.call import CallResult, Finding
from grading.check.record import Case
from grading.check.values import MAX_SENTENCE, describe, digest, printable


def judged(case: Case, outcome: CallResult) -> CallResult:
    """Conclude what is to be concluded from what came back of a call, far from who was called.

    Which arguments are not what they were; and, where a harness only brings what it saw, what that
    means: the case's judge makes of it the value that is compared, or raises a :class:`Finding`.
    """
    if "after" not in outcome:
        return outcome
    arguments = [value for _, value in case["call"]["arguments"]]
    before = case.get("before") or [digest(value) for value in arguments]
    now = outcome["after"] if len(outcome["after"]) == len(arguments) else [""] * len(arguments)
    changed = [
        name
        for (name, _), one, other in zip(case["call"]["arguments"], before, now, strict=True)
        if one != other
    ]
    found: CallResult = {
        "status": outcome["status"],
        "value": outcome["value"],
        "changed": changed,
        "gradients": outcome["gradients"],
    }
    if "judge" in case:
        try:
            found["value"] = _judged_value(case, found["value"], arguments)
        except Finding as finding:
            return {"status": "finding", "text": printable(finding, MAX_SENTENCE)}
        except Exception:  # of a value that nobody thought of
            text = f"It returned {describe(found['value'])}, which cannot be examined."
            return {"status": "finding", "text": text}
    return found


def _judged_value(case: Case, value: Any, arguments: list[Any]) -> Any:
    """What the judge makes of a value, or of the value of each call where there are several."""
    if "again" not in case["call"] or not isinstance(value, list):
        return case["judge"](value, *arguments)
    calls = [arguments, *case["call"]["again"], arguments]
    return [case["judge"](one, *given) for one, given in zip(value, calls, strict=True)]


def brought(found: Any) -> dict[str, Any]:
    """What a harness brought by name, for its judge.

    Raises:
        TypeError: if it is no dictionary; a tensor that is asked for a name takes it for a list.
    """
    if not isinstance(found, dict):
        raise TypeError("a dictionary is expected")
    return found


def steady(first: list[CallResult], again: list[CallResult]) -> list[CallResult]:
    """Join two rounds of calls: an outcome counts if it was the same both times.

    For a student's test, whose verdict on a version must not depend on what it saw before.
    """
    return [
        one
        if one["status"] == other["status"]
        and digest(one.get("value")) == digest(other.get("value"))
        else {"status": "finding", "text": CHANGED}
        for one, other in zip(first, again, strict=True)
    ]


CHANGED = (
    "Called again, with the versions in another order, your test judged this one differently. What "
    "it says must hang on the version alone, not on chance nor on the calls before."
)
