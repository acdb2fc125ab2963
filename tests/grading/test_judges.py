"""A judge is total: what it cannot use is wrong, whatever it is, and costs neither time nor memory.

Each judge of each exercise is given what its harness brings of the reference, with one place of it,
or all of it, replaced by something that nobody would expect.
"""

import copy
import itertools
import resource
import time

import pytest
import torch

from grading import check
from grading.content import assignments

EXERCISES = [exercise for exercises in assignments().values() for exercise in exercises]
MOST_PLACES = 8  # of one value that are replaced, one at a time
MOST_SECONDS = 1.0
MOST_KIB = 200 * 1024
LONG = "x" * 4_000_000
STRETCHED = [(1, 1, 16_000), (16_000, 1, 1)]  # two that would meet in 256 million numbers


def places(value, path=()):
    """Yield the paths to the tensors and plain values of a value."""
    items = None
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    if not items:
        yield path
        return
    for key, item in items:
        yield from places(item, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def with_another(value, path, new):
    if not path:
        return new
    changed = copy.copy(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = with_another(value[path[0]], path[1:], new)
    return tuple(changed) if isinstance(value, tuple) else changed


def odd_values(old):
    """What may stand in place of a value: something of another form, or without any number."""
    odd = [None, [], {}, "accepted", LONG, torch.ones(1), torch.ones((1,) * 30), check.Opaque("a")]
    odd += [torch.ones(*shape) for shape in STRETCHED]
    if isinstance(old, torch.Tensor):
        odd.append(torch.zeros(*old.shape, 1))
        if old.is_floating_point() and old.numel():
            odd.append(torch.full_like(old, float("nan")))
    return [new for new in odd if type(new) is not type(old) or check.form_of(new) != old]


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def judged_cases(drawn):
    seen = set()
    for case in drawn.cases:
        if "judge" in case and case["judge"] not in seen:  # one case of each judge will do
            seen.add(case["judge"])
            yield case


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_what_a_judge_cannot_use_is_wrong(exercise, draws_of):
    drawn = draws_of(exercise)[1]
    for case in judged_cases(drawn):
        right = check.as_sent(check.run_call({exercise.id: exercise.reference}, case["call"]))
        assert check.agree(check.judged(case, right), case["expected"], exercise.tolerance)
        paths = list(dict.fromkeys([(), *list(places(right["value"]))]))[: MOST_PLACES + 1]
        for path in paths:
            old = at(right["value"], path)
            for new in odd_values(old):
                if check.form_of(new) == check.form_of(old) and not isinstance(new, torch.Tensor):
                    continue
                before, begun = memory(), time.process_time()
                came = {**right, "value": with_another(right["value"], path, new)}
                outcome = check.judged(case, came)
                what = f"{case['judge'].__name__} at {path}: {check.describe(new)[:60]}"
                assert time.process_time() - begun < MOST_SECONDS, what
                assert memory() - before < MOST_KIB, what
                assert not check.agree(outcome, case["expected"], exercise.tolerance), what
        for two in itertools.pairwise(paths[1:]):
            value = right["value"]
            for path, shape in zip(two, STRETCHED, strict=True):
                value = with_another(value, path, torch.ones(*shape))
            before = memory()
            outcome = check.judged(case, {**right, "value": value})
            assert memory() - before < MOST_KIB, case["judge"].__name__
            assert not check.agree(outcome, case["expected"], exercise.tolerance)
