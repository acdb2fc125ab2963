"""More than a thousand answers that the content modules do not know, wrong and right.

They run in this process, on the public cases and on hidden ones: no wrong answer earns a point that
it does not deserve, and no right one loses any. An answer is a file
``corpus/ASSIGNMENT/EXERCISE/wrong/NAME.py`` (or ``right``), whose first two lines say what is
special about it and which points it deserves. An assignment's ``prologue.py`` stands for what its
notebook gives the student.
"""

import pytest

from grading.content import assignments
from grading.exercise import PUBLIC_SEED
from grading.proof import matrix
from grading.proof.corpus import CORPUS, answers, notebook_folder

SEEDS = (PUBLIC_SEED, 1, 2)
EXERCISES = [
    pytest.param(assignment, exercise, id=exercise.id)
    for assignment, exercises in assignments().items()
    for exercise in exercises
]


@pytest.mark.timeout(1800)  # up to 98 answers, on a machine that may be busy
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_an_answer_earns_what_it_deserves(assignment, exercise, draws_of, subtests):
    every = dict(zip(matrix.SEEDS, draws_of(exercise), strict=False))
    draws = {seed: every[seed] for seed in SEEDS}
    with notebook_folder(assignment):
        for answer in answers(assignment, exercise.id):
            with subtests.test(answer.name):
                earned = {seed: answer.points(drawn) for seed, drawn in draws.items()}
                assert earned == dict.fromkeys(SEEDS, answer.deserved)


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_only_right_answers_deserve_all_points(assignment, exercise):
    found = answers(assignment, exercise.id)
    assert {answer.right for answer in found} == {True, False}
    for answer in found:
        assert (answer.deserved == exercise.points) == answer.right, answer.name


def test_every_answer_belongs_to_an_exercise_that_exists():
    known = {
        CORPUS / assignment / exercise.id / kind
        for assignment, exercises in assignments().items()
        for exercise in exercises
        for kind in ("right", "wrong")
    }
    files = {path for path in CORPUS.rglob("*.py") if path.name != "prologue.py"}
    assert {path.parent for path in files} == known
