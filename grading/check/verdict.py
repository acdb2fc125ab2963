"""The verdict on an exercise: its points, what is wrong with each case, which mistake it was."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypedDict

import torch

from grading.check.call import Call, CallResult, Finding
from grading.check.differences import difference, equal, same
from grading.check.values import (
    MAX_SENTENCE,
    Tensors,
    describe,
    digest,
    given,
    printable,
    to_tree,
)


class PlainCase(TypedDict):
    """What every case has."""

    title: str
    part: str
    call: Call


class Case(PlainCase, total=False):
    """A case: what is called, and what should come back."""

    before: list[str]  # a digest of each argument
    expected: CallResult
    judge: Callable[..., Any]  # of what a harness brought; see :func:`judged`
    validator: Callable[[Any], tuple[str, str] | None]  # instead of ``expected``
    wanted: str  # what a validator asks for
    shown_by: str  # of a wrong version that a student's test must reject
    repeats: bool  # the value lists the results of several calls, the first made again at the end


class Part(TypedDict):
    """A share of the points."""

    id: str
    title: str
    points: int


class PlainExplanation(TypedDict):
    """What is known of a mistake: the sentence, and what to read again."""

    message: str
    section: str


class Explanation(PlainExplanation, total=False):
    """The same, with what counts where a mistake is one of several bugs."""

    points: int  # of a bug hunt in which some bugs are left: what it earns, whatever the parts say


class Exercise(TypedDict):
    """What :func:`grade_outcomes` asks for; the first part is the core of the others."""

    id: str
    parts: list[Part]
    cases: list[Case]
    orders: list[list[int]]  # in which the cases are called, once or more
    mistakes: dict[str, Explanation]
    tolerance: float
    section: str


Predictions = dict[str, list[CallResult]]  # what each known mistake would have given
Shown = Callable[[Case, CallResult], CallResult]  # an outcome, without what is not to be told


@dataclass
class CaseVerdict:
    """One case: what was called, whether the outcome is right, and if not, what is wrong.

    ``where``: the lines of the notebook that an error came through, each with its number and the
    name of the function.
    """

    title: str
    part: str
    inputs: str
    expected: str
    found: str
    problem: str | None
    where: list[list[Any]] = field(default_factory=list)


@dataclass
class Verdict:
    """What an exercise earns and why; ``status`` is one word for programs.

    ``status``: ``correct``, ``partly`` (some points), ``wrong``, ``not attempted``, ``not run``.
    ``mistakes``: identifiers of the known mistakes whose results these are.
    """

    exercise: str
    points: float
    max_points: float
    status: str
    summary: str
    mistakes: list[str] = field(default_factory=list)
    explanations: list[str] = field(default_factory=list)
    cases: list[CaseVerdict] = field(default_factory=list)
    section: str = ""
    note: str = ""


AND = " + "  # between the mistakes of a pair
KEPT = "kept"  # the mistake that shows only where a call comes after another
OTHER_FORM = "~"  # between a mistake and the number of another way to make it
_WRONG = "It is not what is expected."


def grade_outcomes(
    exercise: Exercise,
    outcomes: list[CallResult],
    predictions: Callable[[], Predictions],
    combined: Callable[[], Predictions] = dict,
    shown: Shown | None = None,
    in_words: bool = True,
) -> Verdict:
    """Compare the outcomes of an exercise's cases with what is expected.

    Args:
        exercise: its parts, cases and known mistakes. Without the first part, the core, the others
            earn nothing.
        outcomes: for each case what :func:`run_call` returned, judged or not, or a status such as
            ``"timeout"``.
        predictions: gives, for each known mistake and ``mistake~1`` (another way to make it), the
            outcomes that it would have had; asked only if something is wrong.
        combined: the same for two mistakes at once, named ``one + other``; asked only if no mistake
            alone explains everything.
        shown: what may be said of an outcome, where that is not all; it decides nothing.
        in_words: False if nobody reads what is wrong with each case: points are given and mistakes
            named that explain everything; what else there is to say takes longer to find.
    """
    if any("validator" in case for case in exercise["cases"]):
        outcomes = outcomes[:1] * len(outcomes)  # all validators look at one and the same value
    came = outcomes
    outcomes = [judged(*pair) for pair in zip(exercise["cases"], came, strict=True)]
    brief = not in_words or shown is not None  # then other words are found
    cases, named = [], []
    for case, raw, outcome in zip(exercise["cases"], came, outcomes, strict=True):
        problem, mistake = None, None
        if brief and "validator" not in case and outcome["status"] == "value":
            problem = None if _is_right(exercise, case, outcome) else _WRONG
        else:
            problem, mistake = _problem(exercise, case, outcome)
        if problem and shown is not None:
            outcome = judged(case, shown(case, raw))
            problem = _problem(exercise, case, outcome)[0] or _WRONG
        cases.append(
            _case_verdict(case, outcome, problem)
            if in_words
            else CaseVerdict(case["title"], case["part"], "", "", "", problem)
        )
        if mistake and mistake not in named:
            named.append(mistake)
    points, max_points = _points(exercise, cases)
    verdict = Verdict(exercise["id"], points, max_points, "correct", "", cases=cases)
    failed = [place for place, case in enumerate(cases) if case.problem]
    if not failed:
        verdict.summary = f"All {len(cases)} cases are right."
        return verdict
    verdict.section = exercise["section"]
    are = "is" if len(failed) == 1 else "are"
    verdict.summary = f"{len(failed)} of {len(cases)} cases {are} wrong."
    verdict.status = "partly" if points else "wrong"
    _explain_trivial(verdict, [outcomes[place] for place in failed], len(failed) == len(cases))
    if verdict.status != "not attempted":
        if named:  # by validators, whose sentences stand at the cases
            verdict.mistakes = named
        else:
            found, explained = _recognise(exercise, outcomes, failed, predictions(), combined)
            if explained != "all" and not in_words:
                return verdict
            verdict.mistakes = list(dict.fromkeys(name.partition(OTHER_FORM)[0] for name in found))
            told = explained == "all" or verdict.explanations
            fact = None if told else _fact(cases, outcomes, failed)
            if fact is not None:
                verdict.mistakes, sentence = [fact[0]], fact[1]
                verdict.explanations.append(sentence)
                return verdict
            if explained == "all":
                _count_repairs(exercise, verdict)
            verdict.explanations += _explain(exercise, verdict.mistakes, explained)
            if explained != "all":
                verdict.explanations += _explain_student_test(exercise, outcomes, failed)
            for mistake in verdict.mistakes[:1]:
                verdict.section = exercise["mistakes"][mistake.split(AND)[0]]["section"]
    return verdict


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


def _problem(exercise: Exercise, case: Case, outcome: CallResult) -> tuple[str | None, str | None]:
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


def _is_right(exercise: Exercise, case: Case, outcome: CallResult) -> bool:
    """Tell whether :func:`_problem` has nothing to say of a value."""
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


def _shows_what_is_kept(exercise: Exercise, outcomes: list[CallResult], failed: list[int]) -> bool:
    """Whether a result depends on the calls before it, by the cases that repeat a call.

    It does if the same call gives two results; or if nothing is wrong but later calls, whose
    arguments are of the same kind as those of the first.
    """
    cases, tolerance = exercise["cases"], exercise["tolerance"]
    first_calls_are_right = all(cases[place].get("repeats") for place in failed)
    for place in failed:
        if not cases[place].get("repeats"):
            continue
        right, found = cases[place]["expected"]["value"], outcomes[place].get("value")
        if isinstance(found, list) and len(found) == len(right):
            first, *_, last = found
            if (
                first_calls_are_right
                and _of_one_kind(cases[place])
                and same(right[0], first, tolerance)
            ):
                return True
            trees = to_tree(first, Tensors()), to_tree(last, Tensors())
            if trees[0] != trees[1] and not same(first, last, tolerance):
                return True
    return False


def _of_one_kind(case: Case) -> bool:
    """Whether later calls differ from the first in nothing but numbers drawn anew.

    If not, they may be wrong by themselves: a mask without a 1, say, or another `window`.
    """
    first = [value for _, value in case["call"]["arguments"]]
    later_calls = case["call"].get("again", [])
    return all(_without_numbers(later) == _without_numbers(first) for later in later_calls)


def _without_numbers(value: Any) -> Any:
    """What has to be the same in two calls; a tensor of two whole numbers is taken for a mask."""
    if isinstance(value, torch.Tensor):
        values = set() if value.is_floating_point() else set(value.unique().tolist())
        return value.shape, value.dtype, values if len(values) < 3 else None
    if isinstance(value, tuple | list):
        return list(map(_without_numbers, value))
    if isinstance(value, dict):
        return {
            key: type(item) if isinstance(item, int) else _without_numbers(item)
            for key, item in value.items()
        }
    return value


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


def _case_verdict(case: Case, outcome: CallResult, problem: str | None) -> CaseVerdict:
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


def _points(exercise: Exercise, cases: list[CaseVerdict]) -> tuple[float, float]:
    """Add the points of the parts whose cases are all right; without the core, none count."""
    earned = 0.0
    for place, part in enumerate(exercise["parts"]):
        right = all(not case.problem for case in cases if case.part == part["id"])
        if right:
            earned += part["points"]
        elif place == 0:
            break
    return earned, float(sum(part["points"] for part in exercise["parts"]))


def _count_repairs(exercise: Exercise, verdict: Verdict) -> None:
    """In a bug hunt in which nothing else is wrong, each bug that is gone counts by itself."""
    known = exercise["mistakes"]
    earned = [known[name].get("points") if name in known else None for name in verdict.mistakes]
    if len(earned) == 1 and earned[0] is not None:
        verdict.points = float(earned[0])
        verdict.status = "partly" if verdict.points else "wrong"


def _explain_trivial(verdict: Verdict, failed: list[CallResult], all_failed: bool) -> None:
    if not all_failed:
        return
    if all(outcome.get("type") == "NotImplementedError" for outcome in failed):
        verdict.status, verdict.summary = "not attempted", "Not written yet."
    elif all(outcome["status"] == "missing" for outcome in failed):
        verdict.status = "not attempted"
        verdict.summary = f"{verdict.cases[0].problem} Run (or restore) the cell that defines it."
    elif all(outcome["status"] == "value" for outcome in failed):
        values = [outcome["value"] for outcome in failed]
        # A harness that calls the function several times makes a tuple of what it returns.
        items = [v for value in values for v in (value if isinstance(value, tuple) else [value])]
        if any(value is None for value in values) and all(item is None for item in items):
            verdict.explanations.append("The function returns nothing: end it with `return`.")


def agree(one: CallResult, other: CallResult, tolerance: float) -> bool:
    """Tell whether two outcomes are the same result: same numbers, same error, same side effect."""
    if one["status"] in RAISED and other["status"] in RAISED:
        types = one.get("type"), other.get("type")
        return ANY_ERROR in types or (types[0] == types[1] and _skeleton(one) == _skeleton(other))
    if one["status"] != "value" or other["status"] != "value":
        return False
    return one is other or (
        _both_ways(one["value"], other["value"], tolerance)
        and sorted(one["changed"]) == sorted(other["changed"])
        and _both_ways(one["gradients"], other["gradients"], 10 * tolerance)
    )


RAISED = ("error", "finding")
ANY_ERROR = "*"  # in a prediction: the kind of error depends on how the mistake is written


def _skeleton(outcome: CallResult) -> str:
    """An error text without its numbers, but with the `names` in it; of a key its last word."""
    if outcome.get("type") == "KeyError":
        return outcome["text"].strip("'").rpartition(".")[2]
    pattern = r"(`[^`]*`)|\d+(\.\d*)?(e[-+]?\d+)?|'[^']*'|…"
    return re.sub(pattern, lambda match: match[1] or "#", outcome["text"])


def _both_ways(one: Any, other: Any, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):  # no sentence is needed
        return one.dtype == other.dtype and equal(one, other, tolerance)
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_both_ways(*pair, tolerance) for pair in pairs)
    if isinstance(one, dict) and isinstance(other, dict):
        return set(one) == set(other) and all(
            _both_ways(one[key], other[key], tolerance) for key in one
        )
    return not (difference(one, other, tolerance) or difference(other, one, tolerance))


def _recognise(
    exercise: Exercise,
    outcomes: list[CallResult],
    failed: list[int],
    predicted: Predictions,
    combined: Callable[[], Predictions],
) -> tuple[list[str], str]:
    """Find the known mistakes that explain every outcome, or else those that explain many.

    The numbers of a few cases can agree by chance. A mistake that does not explain everything is
    named only if it explains half of what failed, or all that failed of one part, and nothing that
    is right speaks against it; or if it explains all that failed and is not made elsewhere.

    Returns:
        The mistakes, and what they explain: one of the keys of ``EXPLAINED``.
    """
    cases = exercise["cases"]

    compared: dict[tuple[int, int], bool] = {}  # many mistakes give one and the same outcome

    def agreements(found: list[CallResult]) -> Iterator[bool]:
        for place, (one, other) in enumerate(zip(outcomes, found, strict=True)):
            pair = place, id(other)
            if pair not in compared:
                compared[pair] = agree(one, other, exercise["tolerance"])
            yield compared[pair]

    whole = [mistake for mistake, found in predicted.items() if all(agreements(found))]
    if whole:
        return whole, "all"
    for both, found in combined().items():
        if all(agreements(found)):  # if several pairs give the same results, one is enough to tell
            return [both], "all"
    if all(case.get("expected", {}).get("value") in JUDGED for case in cases):
        core = exercise["parts"][0]["id"]
        return _recognise_in_test(cases, outcomes, failed, predicted, core)
    if KEPT in exercise["mistakes"] and _shows_what_is_kept(exercise, outcomes, failed):
        others = _recognise_first_calls(exercise, outcomes, failed, predicted, combined)
        return [KEPT, *others], "some" if others else "all"
    agreed = {mistake: list(agreements(found)) for mistake, found in predicted.items()}

    parts: dict[str, list[int]] = {}
    for place in failed:
        parts.setdefault(cases[place]["part"], []).append(place)
    right = [place for place in range(len(cases)) if place not in failed]

    values = [case.get("expected", {}).get("value") for case in cases]
    texts = {value for value in values if isinstance(value, str)}
    little = (bool,) if len(texts) > MOST_WORDS else (bool, str)

    def explained_by(mistake: str) -> set[int]:
        # A yes or no, one of a few words, a finding of a harness, or an error with other numbers in
        # its text speaks for nothing in particular.
        return {
            place
            for place, outcome in enumerate(predicted[mistake])
            if agreed[mistake][place]
            and not isinstance(outcome.get("value"), little)
            and outcome["status"] != "finding"
            and outcome.get("text") == outcomes[place].get("text")
            and outcome.get("type") == outcomes[place].get("type")
        }

    def explains_much(mistake: str) -> bool:
        explained = explained_by(mistake)
        a_part = any(explained.issuperset(group) for group in parts.values())
        much = a_part or 2 * len(explained.intersection(failed)) >= len(failed)
        return much and all(agreed[mistake][place] for place in right)

    much = [mistake for mistake in agreed if explains_much(mistake)]
    much.sort(key=lambda mistake: -len(explained_by(mistake).intersection(failed)))
    if much:
        covered = [set().union(*map(explained_by, much[:place])) for place in range(len(much))]
        return [
            m for m, so_far in zip(much, covered, strict=True) if explained_by(m) - so_far
        ], "some"
    there = {
        mistake: sum(agreed[mistake][place] for place in right)
        for mistake in agreed
        if len(failed) > 1 and explained_by(mistake).issuperset(failed)
    }
    return [m for m, elsewhere in there.items() if elsewhere == max(there.values())], "there"


MOST_WORDS = 5  # of judges; where more are expected they are texts, each of which says something
JUDGED = ("accepted", "rejected")  # what a student's test says of a version
MOST_IN_TEST = 4


def _recognise_in_test(
    cases: list[Case],
    outcomes: list[CallResult],
    failed: list[int],
    predicted: Predictions,
    core: str,
) -> tuple[list[str], str]:
    """Find the known mistakes of which each explains some versions that a test judges wrongly.

    A test that lets through what several mistakes let through has a reason for each of them. One
    that would judge another version wrongly, too, is not among them. Where nearly half of all
    versions are misjudged, some of the core among them, there is one reason for most of it, and
    these would be none; nor is what would reject a few right ones the reason why many are rejected.
    """
    judged_all = all(outcome.get("value") in JUDGED for outcome in outcomes)
    core_failed = any(cases[place]["part"] == core for place in failed)
    if not judged_all:
        return [], "some"
    misjudged = {
        mistake: {
            place
            for place, outcome in enumerate(found)
            if outcome.get("value") != cases[place]["expected"]["value"]
        }
        for mistake, found in predicted.items()
    }
    if core_failed and 5 * len(failed) > 2 * len(cases):
        return _nearest(misjudged, set(failed)), "some"
    left, named = set(failed), list[str]()
    possible = {m: places for m, places in misjudged.items() if places <= left}
    while left and len(named) < MOST_IN_TEST:
        best = max(possible, key=lambda m: len(possible[m] & left), default=None)
        if best is None or not possible[best] & left:
            break
        named.append(best)
        left -= possible[best]
    rejected = {place for place in failed if outcomes[place]["value"] == "rejected"}
    if 2 * len(rejected & left) >= max(1, len(rejected)):
        named = [mistake for mistake in named if not misjudged[mistake] & rejected]
    named = named or _nearest(misjudged, set(failed))
    return named, "some" if left or len(named) < 2 else "together"


def _nearest(misjudged: dict[str, set[int]], failed: set[int]) -> list[str]:
    """The mistake that misjudges nearly the same versions: four of five in which either errs."""

    def shared(mistake: str) -> float:
        either = misjudged[mistake] | failed
        return len(misjudged[mistake] & failed) / len(either)

    best = max(misjudged, key=shared, default=None)
    return [] if best is None or shared(best) < 0.8 else [best]


def _recognise_first_calls(
    exercise: Exercise,
    outcomes: list[CallResult],
    failed: list[int],
    predicted: Predictions,
    combined: Callable[[], Predictions],
) -> list[str]:
    """Find the known mistakes in the cases that repeat nothing."""
    places = [place for place, case in enumerate(exercise["cases"]) if not case.get("repeats")]
    wrong = [number for number, place in enumerate(places) if place in failed]

    def there(found: list[CallResult]) -> list[CallResult]:
        return [found[place] for place in places]

    def of_first_calls(predictions: Predictions) -> Predictions:
        return {name: there(found) for name, found in predictions.items() if name != KEPT}

    if not wrong:
        return []
    only = exercise.copy()
    only["cases"] = [exercise["cases"][place] for place in places]
    return _recognise(
        only, there(outcomes), wrong, of_first_calls(predicted), lambda: of_first_calls(combined())
    )[0]


_OVERWRITTEN = "modified by an inplace operation"
_LEAF = "a leaf Variable that requires grad"
_TRUTH = "Boolean value of Tensor with"
_FACTS = (  # what can be wrong in any exercise: its name, how a case says it, what to ask
    (
        "changes an argument",
        r"The result is right, but the function changed its argument (.*)\.",
        "The results are right, but {} was changed, and the caller still needs it as it was. Which "
        "line writes into it: an operator such as `+=`, an assignment to a slice or a key, `pop`, "
        "or a method whose name ends in `_`?",
    ),
    (
        "no gradient",
        r"(?:The values are right, but no|No) gradient reaches (.*)\.",
        "The numbers are right, but no gradient reaches {}. Where on the way from there to the "
        "result is something cut off from autograd: `detach`, `.data`, `no_grad`, `item`, a new "
        "tensor built from numbers?",
    ),
    (
        "NaN in the gradient",
        r"The values are right, but not the gradient for (`.*?`): .* NaN\b.*",
        "The numbers are right, but the gradient for {} is NaN: what is mended after a NaN has "
        "come up (`nan_to_num`, `where`) is right forwards, not backwards, where 0 times NaN is "
        "NaN. Where does it come up, and what would have to be put there *before*?",
    ),
    (
        "another gradient",
        r"The values are right, but (?:not the gradient for|no gradient reaches) (`.*?`)[:.]",
        "The numbers are right, but the gradient for {} is that of something else. Which step "
        "depends on it and is hidden from autograd: `detach`, `.data`, `no_grad`, `item`, a "
        "constant that was computed from it?",
    ),
    (
        "weights do not fit",
        r"(Its `state_dict\(\)` lacks `|It has the parameters `|`.*` has the shape \[)",
        "The weights of the exercise cannot be loaded into your class. Which of its layers has "
        "another name or other sizes, or a bias where there is none, or none where there is one "
        "(`bias=False`)?",
    ),
    (
        "another dtype",
        r".*The dtype is (\w+; expected \w+)\. Apart from that the numbers are right\.",
        "The numbers are right, but the dtype is {}. Which step converts them, or makes a tensor "
        "whose dtype is its own?",
    ),
    (
        "rounded",
        r".*They are the right numbers, rounded to (\d decimal places)\.",
        "The numbers are right, but rounded to {}. Which line does that? Return them as they are.",
    ),
    (
        "axes of length 1",
        r".*The numbers are right; only axes of length 1 are (missing or too many)\.",
        "The numbers are right, but axes of length 1 are {}. Which step drops or adds one: "
        "`squeeze`, `unsqueeze`, `keepdim`, an index?",
    ),
    (
        "returns what it should raise",
        r"(?:Your test|It) returned (a bool|a value)(?: and raised nothing)?\. .*",
        "Your test returns {}, and nobody looks at what a test returns: it says that something is "
        "wrong by raising an error. Where would an `assert` stand in place of a `return`?",
    ),
    (
        "returns something else",
        r"It returned (.*); expected (?:a tensor|an? .*list.*|\d+ values|a dictionary.*)\.",
        "It returns {}. What does the exercise ask for, and what stands behind `return`?",
    ),
)


def _fact(
    cases: list[CaseVerdict], outcomes: list[CallResult], failed: list[int]
) -> tuple[str, str] | None:
    """Name what is plain to see, if it is all that is wrong: no guess, but what the cases say."""
    errors = [
        (outcomes[place].get("type"), _skeleton(outcomes[place]))
        for place in failed
        if outcomes[place]["status"] == "error"
    ]
    if errors and all(_TRUTH in outcomes[place].get("text", "") for place in failed):
        return "the truth of a tensor", (
            "A tensor of several numbers is asked whether it is true, which is an error: by `if`, "
            "`and`, `or`, `not`, `in`, or a chain such as `0 <= x < 5`. Which line does it? To see "
            "whether an argument was left out, ask whether it `is None`."
        )
    unanswered = outcomes[0].get("type") == "NotImplementedError"
    if len(errors) == len(cases) and len(set(errors)) == 1 and not unanswered:
        return "the same error everywhere", (
            "Every case ends with the same error. Which line raises it, and what did you expect to "
            "find there?"
        )
    texts = [cases[place].problem or "" for place in failed]
    if all(_OVERWRITTEN in text for text in texts):
        return "overwrites what autograd needs", (
            "The values can be computed, but not the gradient: a tensor that autograd still needs "
            "was overwritten. Which line writes into a tensor in place of making a new one?"
        )
    for name, pattern, sentence in _FACTS:
        told = texts
        if name == "changes an argument":  # where it requires a gradient, that is an error
            told = [text for text in texts if _LEAF not in text and _OVERWRITTEN not in text]
            told = _most_without("gradient", told)  # or costs this gradient
        if name == "returns what it should raise":  # and some versions it sees nothing wrong with
            told = _most_without("'accepted'", told)
        found = [re.match(pattern, text) for text in told]
        if found and all(found):
            whats = dict.fromkeys(w for match in found if match for w in match[1].split(" and "))
            return name, sentence.format(" and ".join(whats))
    return None


def _most_without(word: str, texts: list[str]) -> list[str]:
    """The texts without a word if they are more than half, else all."""
    others = [text for text in texts if word not in text]
    return others if 2 * len(others) > len(texts) else texts


EXPLAINED = {
    "all": "More than one mistake would give these results:",
    "together": "Known mistakes that together would give these results:",
    "some": "Some of the results, not all, are those of a known mistake:",
    "there": "The results that are wrong are those of a known mistake, made only there:",
}


def _explain(exercise: Exercise, named: list[str], explained: str) -> list[str]:
    if not named:
        return []
    if AND in named[0]:
        both = [exercise["mistakes"][mistake]["message"] for mistake in named[0].split(AND)]
        return ["Two known mistakes together would give these results:", *both]
    sentences = [exercise["mistakes"][mistake]["message"] for mistake in named]
    if explained != "all" or len(sentences) > 1:
        return [EXPLAINED[explained], *sentences]
    return [f"Likely mistake: {sentences[0]}"]


def _explain_student_test(
    exercise: Exercise, outcomes: list[CallResult], failed: list[int]
) -> list[str]:
    """Say which versions a student's test judges wrongly, where the exercise is to write one."""

    def named(places: list[int]) -> str:
        names = [exercise["cases"][place]["title"].partition(": ")[2] for place in places]
        more = f"; and {len(names) - 6} more" if len(names) > 6 else ""
        return "; ".join(names[:6]) + more

    through = [place for place in failed if outcomes[place].get("value") == "accepted"]
    refused = [place for place in failed if outcomes[place].get("value") == "rejected"]
    right = [
        case for case in exercise["cases"] if case.get("expected", {}).get("value") == "accepted"
    ]
    core = {
        place
        for place, case in enumerate(exercise["cases"])
        if case["part"] == exercise["parts"][0]["id"]
        and case.get("expected", {}).get("value") == "rejected"
    }
    found = []
    if through:
        found.append(f"Your test lets wrong versions through: {named(through)}.")
    shown = dict.fromkeys(exercise["cases"][place].get("shown_by", "") for place in through)
    if through and "" not in shown and len(shown) < 5:
        found.append(f"What shows them: {'; '.join(shown)}.")
    if core and core.issubset(through):
        found.append(
            "It sees nothing that is plainly wrong: are numbers compared with numbers that are "
            "certainly right, and is the comparison an `assert`?"
        )
    if refused and len(refused) == len(right):
        found.append(
            "Your test rejects every right version: is what it expects itself right, number by "
            "number?"
        )
    elif refused:
        found.append(
            f"Your test rejects right versions: {named(refused)}. What does it ask for that is not "
            "promised? Two right ways to compute a number differ in the last digits."
        )
    return found
