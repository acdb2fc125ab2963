"""More than a thousand answers that the content modules do not know, wrong and right.

They run in this process, on the public cases and on hidden ones: no wrong answer earns a point that
it does not deserve, and no right one loses any. An answer is a file
``corpus/ASSIGNMENT/EXERCISE/wrong/NAME.py`` (or ``right``), whose first two lines say what is
special about it and which points it deserves. An assignment's ``prologue.py`` stands for what its
notebook gives the student.
"""

import math
from pathlib import Path
from types import CodeType

import pytest
import torch

from grading import check, matrix
from grading.content import assignments
from grading.exercise import PUBLIC_SEED, DrawnExercise
from grading.release import released_paths

SEEDS = (PUBLIC_SEED, 1, 2)
CORPUS = Path(__file__).parent / "corpus"
EXERCISES = [
    pytest.param(assignment, exercise, id=exercise.id)
    for assignment, exercises in assignments().items()
    for exercise in exercises
]


def deserved(answer: str) -> float:
    _title, points = answer.splitlines()[:2]
    return float(points.removeprefix("# points: "))


def prologue(assignment: str) -> CodeType:
    path = CORPUS / assignment / "prologue.py"
    return compile(path.read_text() if path.exists() else "", path, "exec")


def points(drawn: DrawnExercise, *cells: CodeType) -> float:
    names = {
        "__name__": "__main__",
        "math": math,
        "torch": torch,
        "nn": torch.nn,
        "F": torch.nn.functional,
        "Tensor": torch.Tensor,
    }
    for cell in cells:
        exec(cell, names)
    outcomes = [check.unpack(check.packed_call(names, case["call"])) for case in drawn.cases]
    return drawn.grade(outcomes).points


@pytest.fixture
def notebook_folder(assignment, tmp_path, monkeypatch):
    """The working directory of a notebook, with what is released beside it."""
    for path in released_paths(assignment):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.timeout(1800)  # up to 98 answers, on a machine that may be busy
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("notebook_folder")
@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_an_answer_earns_what_it_deserves(assignment, exercise, draws_of, subtests):
    given = prologue(assignment)
    every = dict(zip(matrix.SEEDS, draws_of(exercise), strict=True))
    draws = {seed: every[seed] for seed in SEEDS}
    for path in sorted((CORPUS / assignment / exercise.id).glob("*/*.py")):
        with subtests.test(str(path.relative_to(CORPUS))):
            answer = path.read_text()
            code = compile(answer, path, "exec")
            earned = {seed: points(drawn, given, code) for seed, drawn in draws.items()}
            assert earned == dict.fromkeys(SEEDS, deserved(answer))


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_only_right_answers_deserve_all_points(assignment, exercise):
    for kind in ("right", "wrong"):
        paths = list((CORPUS / assignment / exercise.id / kind).glob("*.py"))
        assert paths
        for path in paths:
            full = deserved(path.read_text()) == exercise.points
            assert full == (kind == "right"), path


def test_every_answer_belongs_to_an_exercise_that_exists():
    known = {
        CORPUS / assignment / exercise.id / kind
        for assignment, exercises in assignments().items()
        for exercise in exercises
        for kind in ("right", "wrong")
    }
    files = {path for path in CORPUS.rglob("*.py") if path.name != "prologue.py"}
    assert {path.parent for path in files} == known
