"""What is wrong with an outcome, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch

from grading.check.call import CallResult
from grading.check.differences import difference, equal, same
from grading.check.record import Case, CaseVerdict, Exercise
from grading.check.values import describe, given

WRONG = "It is not what is expected."


def problem_of(
    exercise: Exercise, case: Case, outcome: CallResult
) -> tuple[str | None, str | None]:
    """The sentence that says what is wrong with an outcome, and the mistake if it is known."""
    status = outcome["status"]
    if status == "missing":
        found = outcome.get("found")
        what = f"is of type {found}, not a function" if found else "is not defined in the notebook"
        return f"`{case['call']['name']}` {what}.", None
    if status == "error":
        origin = ""
        if "size" in outcome["text"] or "shape" in outcome["text"]:
            sizes = re.findall(r"\d+", re.sub(r"(dim\w*|number) \d+", "", outcome["text"]))
            origin = _size_origin(set(map(int, sizes)), case)
        return f"It raised {outcome['type']}: {outcome['text']}".rstrip(": .") + f".{origin}", None
    if status != "value":
        return outcome["text"], None
    if "validator" in case:
        try:
            finding = case["validator"](outcome["value"])
        except Exception:  # of a value that nobody thought of
            return f"It returned {describe(outcome['value'])}, which cannot be examined.", None
        if finding is not None:
            return finding[1], finding[0]
    else:
        case, outcome, which = _first_wrong(case, outcome, exercise["tolerance"])
        problem = difference(case["expected"]["value"], outcome["value"], exercise["tolerance"])
        problem = f"{which}{problem}" if problem else None
        problem = problem or _gradient_problem(case["expected"], outcome, exercise["tolerance"])
        if problem:
            origin = _sizes_explained(case, outcome["value"]) or _argument_added(
                case, outcome["value"], exercise["tolerance"]
            )
            return problem + origin, None
    if outcome["changed"]:
        names = " and ".join(f"`{name}`" for name in outcome["changed"])
        return f"The result is right, but the function changed its argument {names}.", None
    return None, None


def is_right(exercise: Exercise, case: Case, outcome: CallResult) -> bool:
    """Tell whether :func:`problem_of` has nothing to say of a value."""
    tolerance = exercise["tolerance"]
    return (
        same(case["expected"]["value"], outcome["value"], tolerance)
        and _gradient_problem(case["expected"], outcome, tolerance) is None
        and not outcome["changed"]
    )


def _first_wrong(case: Case, outcome: CallResult, tolerance: float) -> tuple[Case, CallResult, str]:
    """Of a case that repeats a call: the case and the outcome of the first call that went wrong.

    The third value says which call it was.
    """
    right, found = case["expected"]["value"], outcome["value"]
    if not case.get("repeats") or not isinstance(found, list) or len(found) != len(right):
        return case, outcome, ""
    pairs = enumerate(zip(right, found, strict=True))
    place = next((place for place, pair in pairs if not same(*pair, tolerance)), 0)
    which = "The first call is right, and a later one is not: " if place else ""
    if 0 < place == len(right) - 1:
        which = "The first call is right, but made again, after others, it is not: "
    expected: CallResult = {**case["expected"], "value": right[place]}
    return {**case, "expected": expected}, {**outcome, "value": found[place]}, which


def _argument_added(case: Case, found: Any, tolerance: float) -> str:
    """Say it if the wrong numbers are the right ones plus or minus an argument."""
    right = case["expected"]["value"]
    right, found = (v[0] if isinstance(v, tuple | list) and v else v for v in (right, found))
    if not isinstance(right, torch.Tensor) or not isinstance(found, torch.Tensor):
        return ""
    if right.shape != found.shape or not right.is_floating_point() or right.numel() < 4:
        return ""
    for name, value in _tensors(case["call"]["arguments"]):
        if value.shape == right.shape and value.is_floating_point():
            if equal(right + value, found, 10 * tolerance):
                return f" What is too much is `{name}`: it was added."
            if equal(right - value, found, 10 * tolerance):
                return f" What is missing is `{name}`: it was not added, or subtracted."
    return ""


def _tensors(arguments: list[Any]) -> Iterator[tuple[str, torch.Tensor]]:
    for name, value in arguments:
        if isinstance(value, torch.Tensor):
            yield name, value
        elif isinstance(value, tuple | list):
            yield from _tensors([(f"{name}[{i}]", item) for i, item in enumerate(value)])


def _sizes_explained(case: Case, found: Any) -> str:
    """Of a tensor of the wrong shape: what the sizes are that stand where others belong."""
    expected = case["expected"]["value"]
    if not isinstance(expected, torch.Tensor) or not isinstance(found, torch.Tensor):
        return ""
    if expected.dim() != found.dim():
        return ""
    both = zip(expected.shape, found.shape, strict=True)
    return _size_origin({size for pair in both if pair[0] != pair[1] for size in pair}, case)


def _size_origin(sizes: set[int], case: Case) -> str:
    """Say which arguments have these sizes; a size that could be from anywhere is left out."""
    places: dict[int, list[str]] = {size: [] for size in sorted(sizes - {0, 1})}

    for name, value in case["call"]["arguments"]:
        if type(value) is int and value in places:
            places[value].append(f"`{name}`")
    for name, value in _tensors(case["call"]["arguments"]):
        for axis, size in enumerate(value.shape):
            if size in places:
                places[size].append(f"axis {axis} of `{name}`")
    origins = [f"{size} is {' and '.join(of)}" for size, of in places.items() if 0 < len(of) < 4]
    return f" Sizes of the arguments: {'; '.join(origins)}." if origins else ""


def _gradient_problem(expected: CallResult, outcome: CallResult, tolerance: float) -> str | None:
    right, came = expected.get("gradients"), outcome["gradients"]
    if right is None:
        return None
    if came is None:
        return "The gradient could not be taken."
    for name, gradient in right.items():
        if gradient is None:
            continue
        found = came.get(name)
        if found is None and not equal(gradient, torch.zeros_like(gradient), 10 * tolerance):
            return f"The values are right, but no gradient reaches `{name}`."
        problem = found is not None and difference(gradient, found, 10 * tolerance)
        if problem:
            return f"The values are right, but not the gradient for `{name}`: {problem}"
    return None


def case_verdict(case: Case, outcome: CallResult, problem: str | None) -> CaseVerdict:
    """Return a case as it is shown: what was called, what was expected, what came."""
    arguments = case["call"]["arguments"]
    inputs = ", ".join(_given(name, value) for name, value in arguments)
    if "again" in case["call"]:
        inputs += ", then with others of the same shapes, then with these again"
    if "expected" in case:
        value = case["expected"]["value"]
        expected = describe(value[0] if case.get("repeats") else value)
    else:
        expected = case["wanted"]
    found = describe(outcome["value"]) if outcome["status"] == "value" else outcome["status"]
    where = outcome.get("where", []) if problem else []
    return CaseVerdict(case["title"], case["part"], inputs, expected, found, problem, where)


_OF_MODULES = {"init": "made with", "state": "with the weights", "inputs": "called with"}


def _given(name: str, value: Any) -> str:
    """What is given under a name; what is done with a module is said as a student knows it."""
    if name in _OF_MODULES and not isinstance(value, torch.Tensor):
        return f"{_OF_MODULES[name]} {given(value, numbers=name == 'init')}"
    return f"{name} {given(value)}"
