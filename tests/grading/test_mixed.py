"""A student's test is run on versions in an order that nobody can know: counting earns nothing."""

import functools

import pytest

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
            assert next(left)

        return test

    return make


def expected(drawn):
    return [case["expected"]["value"] == "accepted" for case in drawn.cases]


def test_the_exercises_that_ask_for_a_test_are_mixed():
    assert [e.id for e in EXERCISES] == ["test_multi_head", "test_feed_forward", "test_encoder"]


@by_id
def test_counting_earns_nothing(exercise):
    public = drawn_of(exercise.id, PUBLIC_SEED)
    first = [expected(public)[place] for place in public.orders[0]]
    for seed in SEEDS:
        drawn = drawn_of(exercise.id, seed)
        right_first = sorted(expected(drawn), reverse=True)
        for verdicts in (right_first, first + [False] * len(drawn.cases)):
            assert drawn.grade(in_both_orders(drawn, replaying(verdicts))).points == 0


@by_id
def test_what_is_learned_in_the_first_round_is_of_no_use(exercise):
    for seed in SEEDS:
        drawn = drawn_of(exercise.id, seed)
        one, other = ([expected(drawn)[place] for place in order] for order in drawn.orders)
        assert one[0] != other[0]
        assert one != other
        assert drawn.grade(in_both_orders(drawn, replaying(one))).points == 0


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
