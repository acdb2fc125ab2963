"""A few hundred answers that the content modules do not know, wrong and right.

They run in this process, on the public cases and on hidden ones: no wrong answer earns a point that
it does not deserve, and no right one loses any. Each folder of `corpus` belongs to an assignment;
its modules list `(title, exercise, points it deserves, source)`, and may have a `PROLOGUE` that
stands for what the notebook gives the student.
"""

import importlib.util
import math
from functools import cache
from pathlib import Path

import pytest
import torch

from grading import check
from grading.content import assignments, exercises_of
from grading.exercise import DrawnExercise
from grading.release import beside_the_notebook

SEEDS = (0, 1, 2)


def answers(kind: str) -> list:
    found = []
    for path in sorted(Path(__file__).parent.glob(f"corpus/*/{kind}.py")):
        spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{kind}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        prologue = getattr(module, "PROLOGUE", "")
        for title, exercise, deserved, source in module.ANSWERS:
            row = (path.parent.name, exercise, deserved, prologue + source)
            found.append(pytest.param(*row, id=f"{exercise}-{title}"))
    return found


@cache
def drawn(assignment: str, exercise: str) -> list[DrawnExercise]:
    (found,) = (e for e in exercises_of(assignment) if e.id == exercise)
    return [DrawnExercise(found, seed) for seed in SEEDS]


@pytest.fixture
def notebook_folder(tmp_path, monkeypatch):
    """The working directory of a notebook, with what is released beside it."""
    for path in beside_the_notebook("01_simple_attention"):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def points(assignment: str, exercise: str, source: str) -> set[float]:
    found = set()
    for draw in drawn(assignment, exercise):
        names = {
            "__name__": "__main__",
            "math": math,
            "torch": torch,
            "nn": torch.nn,
            "F": torch.nn.functional,
            "Tensor": torch.Tensor,
        }
        exec(source, names)
        packed = [check.packed_call(names, case["call"]) for case in draw.cases]
        found.add(draw.judge([check.unpack(outcome) for outcome in packed]).points)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("notebook_folder")
@pytest.mark.parametrize(("assignment", "exercise", "deserved", "source"), answers("wrong"))
def test_a_wrong_answer_earns_what_it_deserves(assignment, exercise, deserved, source):
    assert points(assignment, exercise, source) == {deserved}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("notebook_folder")
@pytest.mark.parametrize(("assignment", "exercise", "deserved", "source"), answers("right"))
def test_a_right_answer_loses_nothing(assignment, exercise, deserved, source):
    assert points(assignment, exercise, source) == {deserved}


def test_every_answer_belongs_to_an_exercise_that_exists():
    known = {(a, e.id) for a, exercises in assignments().items() for e in exercises}
    assert {param.values[:2] for kind in ("wrong", "right") for param in answers(kind)} <= known
