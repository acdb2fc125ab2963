"""Give each student a variant of an assignment: made once, and packed for everybody.

What is released lies as nbgrader left it in the course's folder; a variant is that with other cells
and other public cases, and lies with the course's secret, from which follows who gets which.
"""

from __future__ import annotations

import json
import shutil
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import compute_checksum

from grading.content import chosen, exercises_of, release, variant_count
from grading.course.assigned_variants import GIVEN, folder_of, former_of, given
from grading.course.grade_class import exclusive_lock
from grading.course.secret import course_secret
from grading.course.spreadsheets import as_csv
from grading.course.submissions import problem_with_id
from grading.errors import ExplainedError
from grading.exercise.variants import cells_of, dealt, letter, rewritten

_DATE = (1980, 1, 1, 0, 0, 0)  # the same bytes every time


class NotReleasedError(ExplainedError):
    """There is nothing to make variants of; the sentence says what to do."""


@dataclass
class HandOut:
    """What was written: archives, the table of who got what, and whom it was not written for."""

    folder: Path
    table: Path
    given: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> Counter[str]:
        """How many have each variant."""
        return Counter(self.given.values())


def hand_out(coursedir: CourseDirectory, assignment: str, reports: Path) -> HandOut:
    """Make the variants of an assignment, and an archive for each student of the gradebook.

    Raises:
        NotReleasedError: if it has no variants, was not released, or nobody is there to get one.
    """
    count = variant_count(assignment)
    if count == 1:
        raise NotReleasedError(f"No exercise of {assignment} has variants.")
    source = Path(coursedir.format_path(coursedir.release_directory, ".", assignment))
    name = f"{assignment.partition('_')[2]}.ipynb"
    if not (source / name).is_file():
        raise NotReleasedError(
            f"There is no {source / name}: run `nbgrader generate_assignment {assignment}` first."
        )
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        students = sorted(student.id for student in gradebook.students)
    if not students:
        raise NotReleasedError(
            "The gradebook has no students: run `nbgrader db student import ROSTER.csv` first."
        )
    root = Path(coursedir.root)
    secret = course_secret(root)
    folder = folder_of(root, assignment)
    with exclusive_lock(root):
        who = dealt(students, given(root, assignment), assignment, count, secret)
        _write_variants(assignment, source, name, folder, count, who)
    packed = HandOut(reports / f"{assignment}_variants", reports / f"{assignment}_variants.csv")
    packed.folder.mkdir(parents=True, exist_ok=True)
    for student in students:
        if problem_with_id(student):
            packed.refused[student] = "no folder could have this name."
            continue
        which = letter(who[student])
        _pack(folder / which, assignment, packed.folder / f"{student}.zip")
        packed.given[student] = which
    rows = [["id", "variant"], *map(list, packed.given.items())]
    packed.table.write_text(as_csv(rows), encoding="utf-8", newline="")
    return packed


def _write_variants(
    assignment: str, source: Path, name: str, folder: Path, count: int, who: dict[str, int]
) -> None:
    """Write all variants beside the place where they belong, then put them there at once."""
    new = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    for number in range(count):
        own = new / letter(number)
        shutil.copytree(source, own)
        if number:
            notebook = nbformat.read(source / name, as_version=4)
            rewrite(notebook, assignment, number)
            nbformat.write(notebook, own / name)
            for file, content in release.released_files(assignment, number).items():
                (own / file).write_bytes(content)
    (new / GIVEN).write_text(json.dumps(who, indent=1))
    former = former_of(folder)
    if folder.exists():
        shutil.rmtree(former, ignore_errors=True)
        folder.rename(former)
    new.rename(folder)
    shutil.rmtree(former, ignore_errors=True)


def rewrite(notebook: nbformat.NotebookNode, assignment: str, number: int) -> None:
    """Make of a released notebook that of a variant."""
    cells = {c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata}
    for exercise in exercises_of(assignment, number):
        variant = chosen(assignment, exercise.id, number)
        if variant is None:
            continue
        names = cells_of(exercise, list(cells))
        own = rewritten({name: cells[name].source for name in names}, variant, exercise)
        for cell_name, text in own.items():
            cell = cells[cell_name]
            if cell.source != text:
                cell.source = text
                if "checksum" in cell.metadata.nbgrader:
                    cell.metadata.nbgrader.checksum = compute_checksum(cell)


def _pack(folder: Path, assignment: str, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(p for p in folder.rglob("*") if p.is_file()):
            name = f"{assignment}/{file.relative_to(folder).as_posix()}"
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
