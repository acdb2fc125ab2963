"""Which known mistake it was: whose outcomes these are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import torch

from grading.check.call import CallResult
from grading.check.differences import difference, equal, same
from grading.check.record import KEPT, Case, Exercise, Predictions
from grading.check.values import Tensors, to_tree


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


def agree(one: CallResult, other: CallResult, tolerance: float) -> bool:
    """Tell whether two outcomes are the same result: same numbers, same error, same side effect."""
    if one["status"] in RAISED and other["status"] in RAISED:
        types = one.get("type"), other.get("type")
        return ANY_ERROR in types or (types[0] == types[1] and skeleton(one) == skeleton(other))
    if one["status"] != "value" or other["status"] != "value":
        return False
    return one is other or (
        _both_ways(one["value"], other["value"], tolerance)
        and sorted(one["changed"]) == sorted(other["changed"])
        and _both_ways(one["gradients"], other["gradients"], 10 * tolerance)
    )


RAISED = ("error", "finding")


ANY_ERROR = "*"  # in a prediction: the kind of error depends on how the mistake is written


def skeleton(outcome: CallResult) -> str:
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


def recognise(
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
    return recognise(
        only, there(outcomes), wrong, of_first_calls(predicted), lambda: of_first_calls(combined())
    )[0]
