"""What an assignment consists of, as plain data that can travel to a worker.

nbgrader's gradebook holds the cells that `nbgrader generate_assignment` released; the course's
source folder holds the files beside the notebook. Both are read here, and nothing of a student.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

import nbformat
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.api import Notebook as NotebookRow
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearSolutions

import grading
from grading.content import exercises_of
from grading.content.release import EXERCISES_FOLDER, check_points
from grading.course.fingerprint import digest_of
from grading.errors import ExplainedError
from grading.running.kernel import Bounds

# What decides points: a change in any of it makes records out of date. Nothing of ours is left out,
# for whoever changes a file need not know that it matters.
_DECISIVE = ("grading/**/*.py", "solutions/**/*.py")
# Their numbers and their errors are what is judged. Builds of one version for several kinds of
# machine (2.13.0+cpu) count as one.
_LIBRARIES = ("torch", "numpy")


class CourseNotReadyError(ExplainedError):
    """The course is not ready to grade this assignment; the sentence says what to do."""


@dataclass(frozen=True)
class ReleasedCell:
    """A cell as it was released; ``locked`` ones belong to the course, the others to the student.

    ``grade``: it carries points. ``solution``: the student writes in it. Both: a person grades it.
    """

    name: str
    cell_type: str
    source: str
    locked: bool
    checksum: str | None
    grade: bool
    solution: bool
    task: bool
    points: float | None

    @property
    def metadata(self) -> dict[str, Any]:
        """The cell's metadata under the key ``nbgrader``."""
        fields = {
            "cell_type": self.cell_type,
            "checksum": self.checksum,
            "grade": self.grade,
            "grade_id": self.name,
            "locked": self.locked,
            "schema_version": 3,
            "solution": self.solution,
            "task": self.task,
        }
        return {**fields, "points": self.points} if self.grade or self.task else fields


@dataclass(frozen=True)
class ReleasedAssignment:
    """An assignment: its released notebook and the files that lie beside it.

    ``secret``: of the course. It travels to whoever grades, and is no part of the key: records
    that were made with another one are not out of date. ``variants``: all that there are, where
    students were given variants, this one among them; ``given``: to whom which; ``another``: as
    what it is graded if somebody hands in another one.
    """

    assignment: str
    notebook: str
    kernelspec: dict[str, Any]
    cells: tuple[ReleasedCell, ...]
    files: dict[str, bytes]
    secret: bytes = field(default=b"", repr=False)
    variant: int = 0
    variants: tuple[ReleasedAssignment, ...] = field(default=(), repr=False)
    given: dict[str, int] = field(default_factory=dict, repr=False)
    another: str = ""

    def key(self, bounds: Bounds) -> str:
        """A hash of all that decides points apart from the submission."""
        digest = hashlib.sha256(json.dumps([asdict(cell) for cell in self.cells]).encode())
        for name, content in sorted(self.files.items()):
            digest.update(f"{name}\0".encode() + hashlib.sha256(content).digest())
        digest.update(version_key(self.assignment).encode())
        digest.update(json.dumps(bounds.limits()).encode())
        for variant in self.variants:
            digest.update(f"{self.another} {variant.key(bounds)}".encode())
        return digest.hexdigest()

    @property
    def max_points(self) -> float:
        """The points of the exercises that the grader judges."""
        return sum(exercise.points for exercise in exercises_of(self.assignment))


@functools.cache
def version_key(assignment: str, root: Path = Path(grading.__file__).parents[1]) -> str:
    """A hash of the code that decides points, as it was when this process began to use it.

    Exercises of other assignments do not count.
    """
    chapter = assignment.partition("_")[2]
    others = [
        f"{folder.relative_to(root).as_posix()}/**/*"
        for folder in root.glob("grading/content/*/")
        if folder.name != chapter
    ]
    versions = [metadata.version(library).partition("+")[0] for library in _LIBRARIES]
    return " ".join([digest_of(root, _DECISIVE, left_out=others), *versions])


def read_released(coursedir: CourseDirectory, assignment: str) -> ReleasedAssignment:
    """Read an assignment from the gradebook and the source folder of the course.

    Raises:
        CourseNotReadyError: if it was not released yet, has not exactly one notebook, or promises
            other points than the grader gives.
    """
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            notebooks = gradebook.find_assignment(assignment).notebooks
        except MissingEntry:
            raise CourseNotReadyError(
                f"The gradebook does not know the assignment {assignment}: run "
                f"`nbgrader generate_assignment {assignment}` first."
            ) from None
        if len(notebooks) != 1:
            raise CourseNotReadyError(
                f"The gradebook has {len(notebooks)} notebooks for {assignment}, expected one: run "
                f"`nbgrader generate_assignment {assignment}` first."
            )
        folder = Path(coursedir.format_path(coursedir.source_directory, ".", assignment))
        released = released_notebook(notebooks[0], assignment, folder, _files(coursedir, folder))
    check_points(assignment, {cell.name: cell.points for cell in released.cells})
    return released


def released_notebook(
    row: NotebookRow, assignment: str, folder: Path, files: dict[str, bytes] | None = None
) -> ReleasedAssignment:
    """Describe a notebook of the gradebook; its cells stand as in the notebook in ``folder``."""
    graded = {cell.name: cell for cell in [*row.grade_cells, *row.task_cells]}
    grade = {cell.name for cell in row.grade_cells}
    solution = {cell.name for cell in row.solution_cells}
    task = {cell.name for cell in row.task_cells}
    cells = [
        ReleasedCell(
            name=cell.name,
            cell_type=cell.cell_type,
            source=cell.source or "",
            locked=bool(cell.locked),
            checksum=cell.checksum,
            grade=cell.name in grade,
            solution=cell.name in solution,
            task=cell.name in task,
            points=graded[cell.name].max_score if cell.name in graded else None,
        )
        for cell in row.source_cells
    ]
    order = _order(folder / f"{row.name}.ipynb")
    cells.sort(key=lambda cell: order.get(cell.name, len(order)))
    kernelspec = json.loads(row.kernelspec or "{}")
    return ReleasedAssignment(assignment, row.name, kernelspec, tuple(cells), files or {})


def released_from_source(assignment: str) -> ReleasedAssignment:
    """Describe an assignment without a course, as `nbgrader generate_assignment` releases it."""
    name = assignment.partition("_")[2]
    path = EXERCISES_FOLDER / assignment / f"{name}.ipynb"
    source = nbformat.read(path, as_version=4)
    notebook, _ = ClearSolutions().preprocess(source, {"nbgrader": {}})
    cells = []
    for cell in notebook.cells:
        known = cell.metadata.get("nbgrader", {})
        if known.get("grade_id"):
            cells.append(
                ReleasedCell(
                    name=known.grade_id,
                    cell_type=cell.cell_type,
                    source=cell.source,
                    locked=known.locked,
                    checksum=None,
                    grade=known.grade,
                    solution=known.solution,
                    task=known.get("task", False),
                    points=known.get("points"),
                )
            )
    kernelspec = dict(notebook.metadata.kernelspec)
    return ReleasedAssignment(assignment, name, kernelspec, tuple(cells), {})


def _order(path: Path) -> dict[str, int]:
    """A database promises no order of rows: the source notebook does."""
    if not path.exists():
        return {}
    cells = nbformat.read(path, as_version=4).cells
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in cells]
    return {name: number for number, name in enumerate(names) if name}


def _files(coursedir: CourseDirectory, folder: Path) -> dict[str, bytes]:
    paths = utils.find_all_files(str(folder), [*coursedir.ignore, "*.ipynb"])
    return {str(Path(p).relative_to(folder)): Path(p).read_bytes() for p in sorted(paths)}
