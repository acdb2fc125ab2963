"""Notebooks as students hand them in: the released one with some answers replaced."""

import copy
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest

from grading.check import Verdict
from grading.content.release import EXERCISES_FOLDER, released_paths
from grading.exercise import DrawnExercise, Exercise
from grading.proof import matrix
from grading.running import sandbox
from grading.running.grade_notebook import grade_notebook
from grading.running.kernel import Bounds

collect_ignore = ["corpus"]  # answers of students, some of which are called `test_...`

ASSIGNMENT = "01_simple_attention"
SOURCE = EXERCISES_FOLDER / ASSIGNMENT / "simple_attention.ipynb"
# Where a machine has no sandbox the grader refuses; its logic can be tested there all the same.
CONFINED, _ = sandbox.available()
USUAL = Bounds(confined=CONFINED)


@pytest.fixture(scope="session")
def quick() -> Bounds:
    """Shorter times than in earnest, for what takes all there is; others may need them all."""
    return Bounds(cell_seconds=5, call_seconds=2, notebook_seconds=120, confined=CONFINED)


@pytest.fixture(scope="session")
def usual() -> Bounds:
    """The times of a real submission: a busy machine needs them."""
    return USUAL


@pytest.fixture(scope="session")
def solved() -> nbformat.NotebookNode:
    """The source notebook of assignment 1, with every answer right."""
    return nbformat.read(SOURCE, as_version=4)


@pytest.fixture(scope="session")
def notebook_with(solved) -> Callable[..., nbformat.NotebookNode]:
    """Make a notebook in which the named exercises have another answer and the others are right."""

    def make(**answers: str) -> nbformat.NotebookNode:
        notebook = copy.deepcopy(solved)
        for cell in notebook.cells:
            name = cell.metadata["nbgrader"]["grade_id"].removesuffix("-answer")
            if name in answers:
                cell.source = answers.pop(name)
        assert not answers, f"no such exercises: {sorted(answers)}"
        return notebook

    return make


@pytest.fixture(scope="session")
def grade() -> Callable[[nbformat.NotebookNode], dict[str, Verdict]]:
    """Grade a notebook of assignment 1 in a real kernel."""

    def run(notebook: nbformat.NotebookNode, bounds: Bounds = USUAL) -> dict[str, Verdict]:
        files = released_paths(ASSIGNMENT)
        return {v.exercise: v for v in grade_notebook(notebook, ASSIGNMENT, "", files, bounds)}

    return run


@pytest.fixture
def course(tmp_path) -> Path:
    """A copy of what nbgrader needs of the repository, so that grading leaves the tree alone."""
    import shutil

    root = EXERCISES_FOLDER.parent
    shutil.copy(root / "nbgrader_config.py", tmp_path)
    shutil.copytree(root / "exercises", tmp_path / "exercises")
    return tmp_path


@pytest.fixture(scope="session")
def draws_of() -> Callable[[Exercise], list[DrawnExercise]]:
    """Draw an exercise's cases for all seeds, once for all tests of the exercise in a row."""
    last: dict[str, list[DrawnExercise]] = {}

    def draw(exercise: Exercise) -> list[DrawnExercise]:
        if exercise.id not in last:
            last.clear()
            last[exercise.id] = matrix.drawn(exercise)
        return last[exercise.id]

    return draw
