"""What is released beside an assignment's notebook, made by `make exercises` and never committed.

``check.py`` is :mod:`grading.check` as one file, with the harnesses, judges and validators that
the assignment needs. ``cases.safetensors.gz`` holds the public cases with their expected outcomes
and the outcomes of known mistakes: safetensors, because nothing in it can run, and compressed,
because most of it is names and repeated shapes.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import nbformat

from grading import check
from grading.check import bundle
from grading.content import assignments, exercises_of
from grading.errors import ExplainedError
from grading.exercise import PUBLIC_SEED, DrawnExercise

EXERCISES_FOLDER = Path(__file__).parents[2] / "exercises"
CHECK = "check.py"
RELEASED = (CHECK, check.CASES)

_INTRODUCTION = """Run what you wrote on prepared cases, and say in words what is wrong.

This file belongs to assignment {assignment}. It holds no answer and needs nothing but torch, numpy
and safetensors: `check("name")` runs the cases of `cases.safetensors.gz`, which lies beside it.
"""


def released_files(assignment: str, variant: int = 0) -> dict[str, bytes]:
    """Make the public files of an assignment: name to content, the same bytes every time."""
    drawn = [DrawnExercise(exercise, PUBLIC_SEED) for exercise in exercises_of(assignment, variant)]
    cases = check.pack({d.exercise.id: d.public() for d in drawn})
    return {
        CHECK: released_check(assignment).encode(),
        check.CASES: gzip.compress(cases, mtime=0),
    }


def released_check(assignment: str) -> str:
    """Make the text of an assignment's ``check.py``."""
    own = [_own(assignment, name) for name in ("harnesses", "judges", "validators")]
    modules = (*bundle.RUNS_BESIDE, *bundle.COMPARES, *filter(None, own), *bundle.SHOWS)
    return bundle.one_file(_INTRODUCTION.format(assignment=assignment), modules)


def _own(assignment: str, name: str) -> ModuleType | None:
    name = f"grading.content.{assignment.partition('_')[2]}.{name}"
    return importlib.import_module(name) if importlib.util.find_spec(name) else None


class PointsDifferError(ExplainedError):
    """A notebook promises other points than the grader gives."""


def check_points(assignment: str, points: Mapping[str, float | None]) -> None:
    """Look whether check cells are worth what the descriptions of their exercises say.

    Args:
        assignment: one of ours.
        points: of the notebook's cells, by their names.

    Raises:
        PointsDifferError: if not; the sentence names the exercises and says what to do.
    """
    wrong = [
        f"{exercise.id} has {points[exercise.check_cell]:g} points in its check cell and "
        f"{exercise.points:g} in its description"
        for exercise in exercises_of(assignment)
        if points.get(exercise.check_cell) not in (None, exercise.points)
    ]
    if wrong:
        folder = f"grading/content/{assignment.partition('_')[2]}"
        raise PointsDifferError(
            f"{'; '.join(wrong)}. Points are set by the parts in {folder}/EXERCISE/question.py "
            "alone: give the check cell the same, run "
            f"`nbgrader generate_assignment {assignment} --force`, then grade."
        )


def before_generating(assignment: str, student: str, notebooks: list[str]) -> None:
    """Make the public files when `nbgrader generate_assignment` runs, so that none is missing.

    nbgrader calls this with an assignment, a student (``.``) and the paths of its notebooks. An
    instructor's own assignment, which we do not know, is left alone.

    Raises:
        SystemExit: if a check cell is worth other points than the grader gives; nbgrader would go
            on after any other error.
    """
    if assignment in assignments():
        try:
            for notebook in notebooks:
                cells = nbformat.read(notebook, as_version=4).cells
                found = [cell.metadata.get("nbgrader", {}) for cell in cells]
                check_points(assignment, {f.get("grade_id", ""): f.get("points") for f in found})
        except PointsDifferError as error:
            raise SystemExit(f"Nothing is released: {error}") from None
        write_released_files(assignment, Path(notebooks[0]).parent)


def write_released_files(assignment: str, folder: Path | None = None) -> list[Path]:
    """Write the public files of an assignment where nbgrader takes them from."""
    folder = folder or EXERCISES_FOLDER / assignment
    paths = []
    for name, content in released_files(assignment).items():
        path = folder / name
        path.write_bytes(content)
        paths.append(path)
    return paths


def released_paths(assignment: str) -> list[Path]:
    """The public files as they lie in the assignment's folder.

    Raises:
        ExplainedError: if they have not been made; the sentence says how to make them.
    """
    paths = [EXERCISES_FOLDER / assignment / name for name in RELEASED]
    missing = [path.name for path in paths if not path.exists()]
    if missing:
        raise ExplainedError(
            f"exercises/{assignment} lacks {' and '.join(missing)}: run `make exercises` first."
        )
    return paths


def by_hand_and_minutes(assignment: str) -> tuple[float, int]:
    """The points that a person gives, and the minutes of the whole, as the notebook says."""
    (path,) = (EXERCISES_FOLDER / assignment).glob("*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    of = [cell.metadata.get("nbgrader", {}) for cell in cells]
    by_hand = sum(each["points"] for each in of if each.get("grade") and each.get("solution"))
    text = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return by_hand, sum(map(int, re.findall(r"· about (\d+) minutes ·", text)))
