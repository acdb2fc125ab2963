"""The files that are released beside an assignment's notebook, made from the content module.

``check.py`` is a copy of :mod:`grading.check`; ``cases.safetensors`` holds the public cases with
their expected outcomes and the outcomes of known mistakes; ``validators.py`` is there if the assignment
has exercises without a single right answer, ``harnesses.py`` if some are more than one call.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

from grading import check
from grading.content import assignments
from grading.exercise import PUBLIC_SEED, DrawnExercise

EXERCISES_FOLDER = Path(__file__).parents[1] / "exercises"


def released_files(assignment: str) -> dict[str, bytes]:
    """Make the public files of an assignment: name to content."""
    drawn = [DrawnExercise(exercise, PUBLIC_SEED) for exercise in assignments()[assignment]]
    cases = check.pack({d.exercise.id: d.public() for d in drawn})
    files = {"check.py": Path(check.__file__).read_bytes(), "cases.safetensors": cases}
    for name in ("validators", "harnesses"):
        module = importlib.util.find_spec(f"grading.content.{assignment.partition('_')[2]}.{name}")
        if module is not None:
            files[f"{name}.py"] = Path(module.origin).read_bytes()
    return files


def write_released_files(assignment: str) -> list[Path]:
    """Write the public files of an assignment where nbgrader takes them from."""
    folder = EXERCISES_FOLDER / assignment
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, content in released_files(assignment).items():
        path = folder / name
        path.write_bytes(content)
        paths.append(path)
    return paths


def beside_the_notebook(assignment: str) -> list[Path]:
    """The public files as they lie in the assignment's folder."""
    folder = EXERCISES_FOLDER / assignment
    return [path for path in sorted(folder.iterdir()) if path.suffix in (".py", ".safetensors")]


def stale_files(assignment: str) -> list[str]:
    """Name the public files in the assignment's folder that are not what they should be.

    Cases are compared as values to the tolerance of their exercise, because another machine rounds
    its last digit differently.
    """
    folder = EXERCISES_FOLDER / assignment
    stale = []
    for name, content in released_files(assignment).items():
        path = folder / name
        if not path.exists() or not _same(path.read_bytes(), content, name):
            stale.append(f"{assignment}/{name}")
    return stale


def _same(one: bytes, other: bytes, name: str) -> bool:
    if not name.endswith(".safetensors"):
        return one == other
    return check.difference(check.unpack(one), check.unpack(other), tolerance=1e-4) is None
