"""When a record is out of date: after a change in anything that decides points, and only then."""

import shutil

import pytest

from grading.batch.released import version_key
from grading.kernel import Bounds
from grading.limits import SandboxLimits

from .conftest import ASSIGNMENT, ROOT

OTHERS = "grading/content/multi_head"


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """The code of the course, with folders of exercises for this assignment and another one."""
    root = tmp_path_factory.mktemp("tree")
    for folder in ("grading", "solutions"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / folder, root / folder, ignore=ignored)
    for chapter in ("simple_attention", "multi_head"):
        folder = root / "grading/content" / chapter
        folder.mkdir(exist_ok=True)
        (folder / "an_exercise.py").write_text("EXERCISE = 1\n")
    return root


def key(tree) -> str:
    version_key.cache_clear()
    return version_key(ASSIGNMENT, tree)


@pytest.mark.parametrize(
    "decisive",
    [
        "grading/influence.py",
        "grading/sandbox/confine.py",
        "grading/batch/submissions.py",
        "grading/content/__init__.py",
        "grading/content/simple_attention/an_exercise.py",
        "solutions/config.py",
        "solutions/positions.py",
    ],
)
def test_a_change_in_what_decides_points_makes_records_out_of_date(tree, decisive):
    before = key(tree)
    with open(tree / decisive, "a") as stream:
        stream.write("# corrected\n")
    assert key(tree) != before


def test_a_new_module_of_the_grader_makes_records_out_of_date(tree):
    before = key(tree)
    (tree / "grading/sandbox/another.py").touch()
    assert key(tree) != before


def test_a_change_in_the_exercises_of_another_assignment_does_not(tree):
    before = key(tree)
    (tree / OTHERS / "an_exercise.py").write_text("EXERCISE = 2\n")
    (tree / OTHERS / "another_exercise.py").touch()
    assert key(tree) == before


def test_other_limits_make_records_out_of_date_and_another_way_to_confine_does_not(source):
    usual = source.key(Bounds())
    assert source.key(Bounds(cell_seconds=7)) != usual
    assert source.key(Bounds(sandbox=SandboxLimits(memory=7))) != usual
    assert source.key(Bounds(confined=False)) == usual
