"""A few hundred answers that the content module does not know, wrong and right.

They run in this process, on the public cases and on hidden ones: no wrong answer earns a point that
it does not deserve, and no right one loses any.
"""

import importlib.util
import math
from pathlib import Path

import pytest
import torch

from grading import check
from grading.content import exercises_of
from grading.exercise import DrawnExercise
from grading.release import beside_the_notebook

SEEDS = (0, 1, 2)
PROLOGUE = """
def broken_attention(query, key, value, is_padding):
    return F.scaled_dot_product_attention(
        query,
        key,
        value,
        attn_mask=is_padding.unsqueeze(1),
        dropout_p=0.1,
        scale=1 / math.sqrt(value.size(-1)),
    )
"""


def answers(name: str) -> list:
    path = Path(__file__).parent / "corpus" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"corpus_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [pytest.param(*rest, id=f"{rest[0]}-{title}") for title, *rest in module.ANSWERS]


@pytest.fixture(scope="module")
def drawn():
    exercises = exercises_of("simple_attention")
    return {e.id: [DrawnExercise(e, seed) for seed in SEEDS] for e in exercises}


@pytest.fixture
def notebook_folder(tmp_path, monkeypatch):
    """The working directory of a notebook, with what is released beside it."""
    for path in beside_the_notebook("01_simple_attention"):
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)


def points(drawn, exercise: str, source: str) -> set[float]:
    found = set()
    for draw in drawn[exercise]:
        names = {"math": math, "torch": torch, "F": torch.nn.functional, "Tensor": torch.Tensor}
        exec(PROLOGUE + source, names)
        packed = [check.packed_call(names, case["call"]) for case in draw.cases]
        found.add(draw.judge([check.unpack(outcome) for outcome in packed]).points)
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("notebook_folder")
@pytest.mark.parametrize(("exercise", "deserved", "source"), answers("wrong"))
def test_a_wrong_answer_earns_what_it_deserves(drawn, exercise, deserved, source):
    assert points(drawn, exercise, source) == {deserved}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("notebook_folder")
@pytest.mark.parametrize(("exercise", "deserved", "source"), answers("right"))
def test_a_right_answer_loses_nothing(drawn, exercise, deserved, source):
    assert points(drawn, exercise, source) == {deserved}
