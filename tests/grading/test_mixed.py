"""“Write the test” without a test: whatever is learned but the mathematics earns nothing.

Versions come in an order that nobody can know, each by itself, and all of them a second time to a
notebook that has seen none.
"""

import functools
import random
import time
import types

import pytest
import torch

from grading import check
from grading.content import assignments
from grading.exercise import PUBLIC_SEED, DrawnExercise

EXERCISES = [e for exercises in assignments().values() for e in exercises if e.mixed]
SEEDS = (PUBLIC_SEED, *range(1, 6))
by_id = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)


@functools.cache  # to grade what is wrong by all known mistakes is slow the first time only
def drawn_of(identifier: str, seed) -> DrawnExercise:
    return DrawnExercise(next(e for e in EXERCISES if e.id == identifier), seed)


def in_both_orders(drawn: DrawnExercise, make) -> list[check.CallResult]:
    """Call what ``make()`` gives on every case, with a new one for the second order."""
    rounds = []
    for order in drawn.orders:
        namespace, found = {drawn.exercise.id: make()}, {}
        for place in order:
            found[place] = check.run_call(namespace, drawn.cases[place]["call"])
        rounds.append([found[place] for place in range(len(order))])
    return check.steady(*rounds)


def replaying(verdicts):
    """A test that ignores what it is given and says what it says by counting."""

    def make():
        left = iter(verdicts)

        def test(version):
            if not next(left):
                raise AssertionError

        return test

    return make


def expected(drawn):
    return [case["expected"]["value"] == "accepted" for case in drawn.cases]


def test_the_exercises_that_ask_for_a_test_are_mixed():
    assert [e.id for e in EXERCISES] == [
        "test_multi_head",
        "test_feed_forward",
        "test_encoder",
        "test_merges",
    ]


@by_id
def test_counting_earns_nothing(exercise):
    public = drawn_of(exercise.id, PUBLIC_SEED)
    first = [expected(public)[place] for place in public.orders[0]]
    for seed in SEEDS:
        drawn = drawn_of(exercise.id, seed)
        right_first = sorted(expected(drawn), reverse=True)
        for verdicts in (right_first, first + [False] * len(drawn.cases)):
            assert drawn.earned(in_both_orders(drawn, replaying(verdicts))) == 0


@by_id
def test_what_is_learned_in_the_first_round_is_of_no_use(exercise):
    for seed in SEEDS:
        drawn = drawn_of(exercise.id, seed)
        one, other = ([expected(drawn)[place] for place in order] for order in drawn.orders)
        assert one[0] != other[0]
        assert one != other
        assert drawn.earned(in_both_orders(drawn, replaying(one))) == 0


@by_id
def test_orders_are_drawn_and_some_versions_are_never_released(exercise):
    public, *hidden = (drawn_of(exercise.id, seed) for seed in SEEDS)
    assert len({str(drawn.orders) for drawn in (public, *hidden)}) == len(SEEDS)
    titles = {case["title"] for case in public.cases}
    sources = {str(case["call"]["arguments"]) for case in public.cases}
    for drawn in hidden:
        new = [case for case in drawn.cases if case["title"] not in titles]
        assert {case["expected"]["value"] for case in new} == {"accepted", "rejected"}
        assert any(str(case["call"]["arguments"]) not in sources for case in new)


@by_id
def test_the_reference_judges_alike_in_both_rounds(exercise):
    drawn = drawn_of(exercise.id, 1)
    verdict = drawn.grade(in_both_orders(drawn, lambda: exercise.reference))
    assert verdict.status == "correct"


def test_a_verdict_that_changes_is_not_believed():
    one = {"status": "value", "value": "accepted"}
    other = {"status": "value", "value": "rejected"}
    assert check.steady([one], [one]) == [one]
    (outcome,) = check.steady([one], [other])
    assert (outcome["status"], outcome["text"][:13]) == ("finding", "Called again,")


# ---- Cheats: each decides from a version, what was released, and what it has seen before ----


def judged_by(accepts):
    """A test that accepts a version if ``accepts`` says so."""

    def make(released):
        state = types.SimpleNamespace(calls=0, seen=[])

        def test(version):
            state.calls += 1
            if not accepts(version, released, state):
                raise AssertionError  # pytest would write down what an `assert` is given

        return test

    return make


def numbers(version):
    """What a version gives for inputs that suit it; None if there are none."""
    torch.manual_seed(0)
    for inputs in (
        [torch.randn(s) for s in ((2, 3, 4), (7, 4), (7,), (4, 7), (4,))],
        [torch.randn(2, 3, 4), {
            "query_key_value.weight": torch.randn(12, 4), "query_key_value.bias": torch.randn(12),
            "output.weight": torch.randn(4, 4), "output.bias": torch.randn(4),
        }, 2],
        [torch.ones(2, 5, dtype=torch.long)] * 2 + [torch.zeros(2, 5, dtype=torch.long)],
        ["abcabaa", [("b", "c"), ("a", "b"), ("a", "a")]],
    ):  # fmt: skip
        try:
            found = version(*inputs)
            if isinstance(found, list):
                found = torch.tensor([len(piece) for piece in found])
            return found.detach().float()
        except Exception:
            pass
    return None


def alike(one, other):
    if one is None or other is None:
        return one is other
    if one.shape != other.shape:
        return False
    return torch.equal(one, other) or bool((one - other).abs().max() < 1e-4)


def code(version):
    return version.__code__


def constants(version):
    return [c for c in code(version).co_consts if not isinstance(c, types.CodeType)]


def nearest(version, released, features):
    """The verdict on the released version that has the most in common with this one."""
    own = features(version)
    return max(
        released, key=lambda pair: len(own & features(pair[0])) / len(own | features(pair[0]))
    )[1]


def earlier(version, state):
    """How many of the versions so far gave the same, and of how many."""
    found = numbers(version)
    count = sum(alike(found, other) for other in state.seen)
    state.seen.append(found)
    return count, len(state.seen) - 1


def names(version):
    return {*code(version).co_names, *code(version).co_varnames}


def pieces(version):
    text = code(version).co_code
    return {text[at : at + 6] for at in range(0, len(text), 2)}


CHEATS = {
    "accepts everything": lambda version, released, state: True,
    "rejects everything": lambda version, released, state: False,
    "every other one": lambda version, released, state: state.calls % 2,
    "the first one": lambda version, released, state: state.calls == 1,
    "as many as were released": (
        lambda version, released, state: state.calls <= sum(ok for _, ok in released)
    ),
    "all but the first": lambda version, released, state: state.calls > 1,
    "by a coin": lambda version, released, state: random.random() < 0.3,
    "by the clock": lambda version, released, state: time.perf_counter_ns() % 2,
    "by where it lies in memory": lambda version, released, state: id(version) // 64 % 2,
    "by the hash of its name": lambda version, released, state: sum(
        map(ord, version.__name__)
    ) % 2,
    "by the letters of its name": lambda version, released, state: version.__name__ in {
        other.__name__ for other, ok in released if ok
    },
    "code that was released as right": lambda version, released, state: code(version).co_code in {
        code(other).co_code for other, ok in released if ok
    },
    "code that was not released as wrong": (
        lambda version, released, state: code(version).co_code
        not in {code(other).co_code for other, ok in released if not ok}
    ),
    "names that were released as right": lambda version, released, state: code(
        version
    ).co_names in [code(other).co_names for other, ok in released if ok],
    "constants that were released as right": lambda version, released, state: constants(
        version
    ) in [constants(other) for other, ok in released if ok],
    "the nearest of the released by its names": (
        lambda version, released, state: nearest(version, released, names)
    ),
    "the nearest of the released by its code": (
        lambda version, released, state: nearest(version, released, pieces)
    ),
    "the length of its code": lambda version, released, state: min(
        released, key=lambda pair: abs(len(code(pair[0]).co_code) - len(code(version).co_code))
    )[1],
    "the line that it begins in": lambda version, released, state: code(
        version
    ).co_firstlineno in [code(other).co_firstlineno for other, ok in released if ok],
    "how long it takes": lambda version, released, state: (
        -time.perf_counter() + (numbers(version), time.perf_counter())[1] > 2e-4
    ),
    "what the first gave": lambda version, released, state: (
        lambda count, of: not of or alike(state.seen[0], state.seen[-1])
    )(*earlier(version, state)),
    "what one before gave": lambda version, released, state: earlier(version, state)[0] > 0,
    "what most before gave": lambda version, released, state: (
        lambda count, of: 2 * count >= of
    )(*earlier(version, state)),
    "what gave most, the first on trust": lambda version, released, state: (
        lambda count, of: not of
        or count >= max(sum(alike(a, b) for b in state.seen[:-1]) for a in state.seen[:-1]) - 1
    )(*earlier(version, state)),
    "that it runs": lambda version, released, state: numbers(version) is not None,
    "that it is finite": lambda version, released, state: bool(numbers(version).isfinite().all()),
    "that it hangs on a gradient": lambda version, released, state: (
        lambda x: version(x, *[torch.ones(s) for s in ((7, 4), (7,), (4, 7), (4,))]).requires_grad
    )(torch.ones(2, 3, 4, requires_grad=True)),
}  # fmt: skip


def released_versions(exercise):
    """What a student knows: the public versions as functions, and whether each is right."""
    found = []
    for case in DrawnExercise(exercise, PUBLIC_SEED).cases:
        given = dict(case["call"]["arguments"])
        space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional}
        exec("import math", space)
        exec(given["source"], space)
        version = space[given.get("name", "feed_forward")]
        found.append((version, case["expected"]["value"] == "accepted"))
    return found


@by_id
def test_no_cheat_earns_a_point(exercise, subtests):
    released = released_versions(exercise)
    assert {ok for _, ok in released} == {True, False}
    seeds = (1, 2) if exercise.draws > 3 else (1,)  # where it takes long
    draws = [DrawnExercise(exercise, seed) for seed in seeds]
    random.seed(0)
    for name, accepts in CHEATS.items():
        with subtests.test(name):
            make = judged_by(accepts)
            earned = [
                drawn.earned(in_both_orders(drawn, lambda make=make: make(released)))
                for drawn in draws
            ]
            assert earned == [0] * len(draws)


@by_id
def test_who_knew_the_verdicts_would_earn_all_points(exercise):
    drawn = DrawnExercise(exercise, 1)
    verdicts = [expected(drawn)[place] for order in drawn.orders for place in order]
    known = iter(verdicts)
    make = judged_by(lambda version, released, state: next(known))
    assert drawn.earned(in_both_orders(drawn, lambda: make([]))) == exercise.points
