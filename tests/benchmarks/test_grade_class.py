"""The class that is graded to measure how long that takes: what its students hand in."""

import random

import nbformat
import pytest

from benchmarks import grade_class
from benchmarks.grade_class import Class, names_in, used_by, wrong_answers
from grading.content import assignments, exercises_of
from grading.content.release import EXERCISES_FOLDER
from grading.exercise import DrawnExercise


def notebook_of(assignment):
    path = EXERCISES_FOLDER / assignment / f"{assignment[3:]}.ipynb"
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("assignment", assignments())
def test_half_are_right_and_what_is_wrong_is_complete(assignment):
    chance, known = random.Random(0), names_in(notebook_of(assignment))
    cells = {exercise.answer_cell for exercise in exercises_of(assignment)}
    for number in range(40):
        wrong = wrong_answers(assignment, number, chance, known)
        assert len(wrong) == (0, 1, 0, 3)[number % 4]
        assert set(wrong) <= cells
        for answer in wrong.values():
            assert used_by(answer) <= known


def test_a_wrong_answer_loses_points():
    notebook, chance = notebook_of(grade_class.ASSIGNMENT), random.Random(0)
    (setup,) = (
        cell.source
        for cell in notebook.cells
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "setup"
    )
    exercises = {e.answer_cell: e for e in exercises_of(grade_class.ASSIGNMENT)}
    for number in (1, 3):
        answers = wrong_answers(grade_class.ASSIGNMENT, number, chance, names_in(notebook))
        for cell, answer in answers.items():
            namespace = {}
            exec(setup.replace("from check import check", "") + answer, namespace)
            drawn = DrawnExercise(exercises[cell], seed=1)
            outcomes = drawn.outcomes(namespace[exercises[cell].id])
            assert drawn.earned(outcomes) < exercises[cell].points


def test_what_many_submissions_take_follows_from_a_small_class_and_a_large_one(capsys):
    # 3 s to start; then 0.2 s each on two cores, 0.4 s of processor time, 0.06 s of it the writer's
    small, large = (Class(n, 3 + 0.2 * n, 4 + 0.4 * n, 1 + 0.06 * n) for n in (10, 1000))
    grade_class._of_many(small, large)
    said = " ".join(capsys.readouterr().out.split())
    assert "Starting up takes 3.0 s." in said
    assert "takes 0.20 s, 0.40 s of processor time, 0.06 s of it the writer's" in said
    assert "30,000 submissions: 3.3 hours of processor time" in said
    assert "50 minutes on 4 cores, 30 minutes on 8 cores; the writer alone 30 minutes" in said
