"""What a harness brought is judged here, far from who was called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from grading.check.call import CallResult, Finding
from grading.check.record import Case
from grading.check.values import MAX_SENTENCE, describe, digest, printable, quoted


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
            said: CallResult = {"status": "finding", "text": printable(finding, MAX_SENTENCE)}
            return {**said, "unjudged": True} if isinstance(finding, NotJudged) else said
        except Exception:  # of a value that nobody thought of
            text = f"It returned {describe(found['value'])}, which cannot be examined."
            return {"status": "finding", "text": text, "unjudged": True}
    return found


def _judged_value(case: Case, value: Any, arguments: list[Any]) -> Any:
    """What the judge makes of a value, or of the value of each call where there are several."""
    judge = case["judge"]
    odd = ""
    if "brought" in case and not getattr(judge, "any_form", False):
        odd = _odd(case["brought"], form_of(value))
        if odd and not getattr(judge, "asked_first", False):
            raise NotJudged(odd)
    if "again" not in case["call"] or not isinstance(value, list):
        found = judge(value, *arguments)
    else:
        calls = [arguments, *case["call"]["again"], arguments]
        found = [judge(one, *given) for one, given in zip(value, calls, strict=True)]
    if odd:
        raise NotJudged(odd)
    return found


class NotJudged(Finding):
    """Raised by a judge of what it cannot conclude anything from: it is wrong; but see `unless`."""


def of_any_form(judge: Callable[..., Any]) -> Callable[..., Any]:
    """Say of a judge that the form of what it is given is its own business.

    The others conclude nothing from what has another form than what the reference brings: another
    structure, shape or dtype, or NaN. So nothing is stretched from one shape to another.
    """
    judge.__dict__["any_form"] = True
    return judge


def asked_first(judge: Callable[..., Any]) -> Callable[..., Any]:
    """Say of a judge that it knows better words for what is missing; what it lets pass is wrong."""
    judge.__dict__["asked_first"] = True
    return judge


def unless(part: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say of a judge what speaks for what it cannot judge: a case of that part is wrong already."""

    def mark(judge: Callable[..., Any]) -> Callable[..., Any]:
        judge.__dict__["unless"] = part
        return judge

    return mark


def form_of(value: Any) -> Any:
    """Return the form of a value: dtypes and shapes, lists and names, without any number.

    Lists of texts have one form, however long they are.
    """
    if isinstance(value, dict):
        return {str(name): form_of(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        if all(isinstance(item, str) for item in value):
            return "a list of texts"
        return [form_of(item) for item in value]
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, torch.Tensor) and value.is_floating_point() and bool(value.isnan().any()):
        return f"{describe(value)} with NaN"
    return "a text" if isinstance(value, str) else describe(value)


def _odd(expected: Any, found: Any) -> str:
    """Say where a form differs from the expected one, in a sentence; nothing if it does not."""
    if expected == found:
        return ""
    pairs: list[tuple[Any, Any]] = []
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = list(zip(expected, found, strict=True))
    elif isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        pairs = [(expected[name], found[name]) for name in expected]
    for one, other in pairs:
        if one != other:
            return _odd(one, other)
    if found == "None":
        return "Called as in this case, it raises an error or returns nothing."
    return f"Here it gives {_in_words(found)}; expected {_in_words(expected)}."


def _in_words(form: Any) -> str:
    if isinstance(form, list):
        return f"a list of {len(form)}"
    if isinstance(form, dict):
        return f"a dictionary with {quoted(sorted(form)) or 'nothing in it'}"
    return "nothing" if form == "None" else str(form)


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
