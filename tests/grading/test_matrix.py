"""The grader graded: wrong implementations are caught and named, right ones pass."""

import dataclasses
import re

import pytest
import torch

from grading import check
from grading.content import assignments, exercises_of
from grading.exercise import DrawnExercise, Mistake
from grading.proof import matrix
from grading.running import redaction

EXERCISES = [
    pytest.param(exercise, id=f"{assignment}-{exercise.id}")
    for assignment, exercises in assignments().items()
    for exercise in exercises
]


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_implementation_gets_its_due(exercise, draws_of):
    assert [row for row in matrix.rows(exercise, draws_of(exercise)) if not row.right] == []


def numbers_alone(outcome) -> bool:
    return outcome["status"] == "value" and isinstance(outcome["value"], torch.Tensor | float | int)


def texts_alone(value) -> bool:
    if isinstance(value, list | tuple):
        return all(map(texts_alone, value))
    if isinstance(value, dict):
        return all(map(texts_alone, value.values()))
    return isinstance(value, str)


@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_text_earns_what_a_judge_decides_and_no_digest_is_believed(exercise, draws_of):
    """A text that says that all is well, in place of what a harness saw, is worth nothing."""
    for case in draws_of(exercise)[1].cases:
        if "expected" not in case:
            continue
        arguments = [value for _, value in case["call"]["arguments"]]
        told = {
            "status": "value",
            "value": case["expected"]["value"],
            "after": [check.digest(value) for value in arguments],
            "gradients": None,
        }
        if "judge" in case and texts_alone(told["value"]):
            assert check.judged(case, told)["status"] == "finding"
        alone = {key: case[key] for key in ("title", "part", "call")}
        assert check.judged(alone, told)["changed"] == []
        names = [name for name, _ in case["call"]["arguments"]]
        for after in (["0"] * len(arguments), [], [*told["after"], "0"]):
            assert check.judged(alone, {**told, "after": after})["changed"] == names


@pytest.mark.parametrize("exercise", EXERCISES)
def test_a_report_says_of_hidden_cases_what_the_notebook_says_of_public_ones(exercise, draws_of):
    """What may not be repeated of a notebook's own words costs no mistake its name."""
    drawn = draws_of(exercise)[1]
    shown = redaction.shown(exercise)
    for mistake in exercise.mistakes:
        known = drawn.outcomes_of(mistake)[0]
        if all(numbers_alone(outcome) for outcome in known):
            continue
        names = {exercise.id: exercise.mutant(mistake.mutation)}
        outcomes = [  # as they come; a judge has already had its say in those that are known
            check.as_sent(check.run_call(names, case["call"])) if "judge" in case else outcome
            for case, outcome in zip(drawn.cases, known, strict=True)
        ]
        here, graded = drawn.grade(outcomes), drawn.grade(outcomes, shown)
        assert drawn.earned(outcomes) == here.points  # found without a word
        assert (graded.points, graded.mistakes, graded.explanations) == (
            here.points, here.mistakes, here.explanations,
        )  # fmt: skip
        for one, other in zip(here.cases, graded.cases, strict=True):
            if one.problem and "It raised" not in one.problem:
                # names and numbers that only the answer has are not repeated
                words = re.compile(r"(`[^`]*`(, )?)+|\d+")
                own, told = (words.sub("…", text) for text in (one.problem, other.problem))
                assert own == told, mistake.id


@pytest.mark.parametrize("exercise", EXERCISES)
def test_every_exercise_has_three_alternatives_and_distinct_messages(exercise):
    assert len(exercise.alternatives) >= 3
    messages = [mistake.message for mistake in exercise.mistakes]
    assert len(set(messages)) == len(messages)


def rows_with(**changes):
    exercise = exercises_of("simple_attention")[0]
    changes = {"mistakes": (), "alternatives": {}, **changes}
    exercise = dataclasses.replace(exercise, **changes)
    return list(matrix.rows(exercise, [DrawnExercise(exercise, seed=0)]))


def test_the_matrix_notices_a_mistake_that_the_cases_do_not_catch():
    right = exercises_of("simple_attention")[0].reference
    rows = rows_with(mistakes=(Mistake("none", "Nothing is wrong.", right),))
    assert [row.problem for row in rows] == ["", "not caught"]


def test_the_matrix_notices_a_correct_implementation_that_loses_points():
    wrong = exercises_of("simple_attention")[0].mistakes[0].mutation
    rows = rows_with(alternatives={"said to be right": wrong})
    assert rows[1].problem.startswith("loses points at a batch of sequences")


def test_the_matrix_notices_two_mistakes_that_nothing_tells_apart():
    wrong = exercises_of("simple_attention")[0].mistakes[0].mutation
    rows = rows_with(mistakes=(Mistake("one", "One.", wrong), Mistake("two", "Two.", wrong)))
    assert [row.problem for row in rows[1:]] == ["explained as one, two"] * 2


def test_all_forms_of_a_mistake_get_its_message():
    one, other = (m.mutation for m in exercises_of("simple_attention")[0].mistakes[:2])
    rows = rows_with(mistakes=(Mistake("one", "One.", one, other_forms=(other,)),))
    assert [(row.name, row.problem) for row in rows[1:]] == [("one", "")] * 2


def test_the_matrix_notices_the_wrong_number_of_points():
    wrong = exercises_of("simple_attention")[0].mistakes[0].mutation
    rows = rows_with(mistakes=(Mistake("one", "One.", wrong, points=1),))
    assert rows[1].problem == "earns 0 points, should earn 1"


def test_a_function_that_returns_nothing_is_told_so_by_harnesses_that_call_it_often(draws_of):
    (exercise,) = (e for e in exercises_of("simple_attention") if e.id == "weights_time_first")
    drawn = draws_of(exercise)[1]
    verdict = drawn.grade(drawn.outcomes(lambda query, key: None))
    assert verdict.explanations == ["The function returns nothing: end it with `return`."]
