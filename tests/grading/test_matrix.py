"""The grader graded: wrong implementations are caught and named, right ones pass."""

import dataclasses

import pytest

from grading import matrix
from grading.content import assignments, exercises_of
from grading.exercise import DrawnExercise, Mistake

EXERCISES = [exercise for exercises in assignments().values() for exercise in exercises]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_every_implementation_gets_its_due(exercise, draws_of):
    assert [row for row in matrix.rows(exercise, draws_of(exercise)) if not row.right] == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
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
