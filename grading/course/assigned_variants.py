"""Who works on which variant of an assignment, and what a notebook is that was handed in.

`python -m grading variants` leaves what it released in the course's working folder; an assignment
without such a folder is the same for all. What was released decides, not what would be made now.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode, from_dict
from traitlets import Enum
from traitlets.config import Configurable

from grading.content.release import RELEASED
from grading.course.assignment import CourseNotReadyError, ReleasedAssignment
from grading.course.repair import Submitted
from grading.course.secret import WORKING_FOLDER
from grading.exercise.variants import letter, number_of

OWN, HANDED_IN = "own", "handed in"
GIVEN = "given.json"


class Variants(Configurable):
    """What becomes of a notebook that is another variant than its student was given."""

    another = Enum(
        (OWN, HANDED_IN),
        OWN,
        help="A notebook that is another variant than its student was given is graded as the "
        "student's own one, or as the one that was handed in. Both are said in the notebook.",
    ).tag(config=True)


def folder_of(root: Path, assignment: str) -> Path:
    """Where the variants of an assignment lie, as they were released, in a folder each."""
    return root / WORKING_FOLDER / "variants" / assignment


def former_of(folder: Path) -> Path:
    """Where they lie while others are put in their place, and still if that was not completed."""
    return folder.with_name(f"{folder.name}.old")


def _found(root: Path, assignment: str) -> Path:
    """Where the variants of an assignment lie now."""
    folder = folder_of(root, assignment)
    return folder if folder.exists() else former_of(folder)


def given(root: Path, assignment: str) -> dict[str, int]:
    """Who was given which variant of an assignment."""
    path = _found(root, assignment) / GIVEN
    found: dict[str, int] = json.loads(path.read_text()) if path.exists() else {}
    return found


def with_variants(base: ReleasedAssignment, root: Path, another: str) -> ReleasedAssignment:
    """The assignment with its variants, if some were released.

    Raises:
        CourseNotReadyError: if they are those of an earlier release of the assignment.
    """
    folder = _found(root, base.assignment)
    paths = sorted(path for path in folder.glob("?") if path.is_dir())
    found = tuple(_variant(base, number, path) for number, path in enumerate(paths))
    if found and _texts(found[0]) != _texts(base):
        raise CourseNotReadyError(
            f"The variants of {base.assignment} were made from an earlier release: run "
            f"`python -m grading variants {base.assignment}`, and give students the new ones."
        )
    known = given(root, base.assignment)
    return replace(base, variants=found, given=known, another=another)


def _variant(base: ReleasedAssignment, number: int, folder: Path) -> ReleasedAssignment:
    cells = nbformat.read(folder / f"{base.notebook}.ipynb", as_version=4).cells
    released = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in cells}
    return replace(
        base,
        cells=tuple(
            replace(
                cell,
                source=released[cell.name].source,
                checksum=released[cell.name].metadata.nbgrader.get("checksum"),
            )
            if cell.name in released
            else cell
            for cell in base.cells
        ),
        files={**base.files, **{name: (folder / name).read_bytes() for name in RELEASED}},
        variant=number,
    )


def _texts(released: ReleasedAssignment) -> dict[str, str]:
    return {cell.name: cell.source for cell in released.cells if cell.locked}


def own(released: ReleasedAssignment, student: str) -> ReleasedAssignment:
    """The assignment as a student was given it."""
    if not released.variants:
        return released
    number = released.given.get(student)
    if number is None:
        number = number_of(student, released.assignment, len(released.variants), released.secret)
    return replace(released.variants[number], secret=released.secret)


def judged_as(
    released: ReleasedAssignment, student: str, cells: Iterable[Submitted], notes: list[str]
) -> ReleasedAssignment:
    """The assignment as a notebook of a student is graded; a note says if it is another variant."""
    mine = own(released, student)
    handed_in = _handed_in(released, mine, {cell.source.strip() for cell in cells})
    if handed_in.variant == mine.variant:
        return mine
    judged = mine if released.another == OWN else replace(handed_in, secret=released.secret)
    notes.append(
        f"This notebook is variant {letter(handed_in.variant)} of the assignment, but you were "
        f"given variant {letter(mine.variant)}. It is graded as variant {letter(judged.variant)}."
    )
    return judged


def put_in_place(notebook: NotebookNode, originals: dict[str, tuple[str, dict[str, Any]]]) -> None:
    """Give a notebook the locked cells of a variant.

    nbgrader knows those of variant A, and overwrites others: it is given these first.

    Args:
        notebook: is changed.
        originals: by the names of cells, what stands in them and their metadata for nbgrader.
    """
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        source, metadata = originals.get(name, ("", {}))
        if metadata.get("locked"):
            cell.source, cell.metadata.nbgrader = source, from_dict(metadata)


def cells_in_course(released: ReleasedAssignment) -> dict[str, tuple[str, dict[str, Any]]]:
    """The cells of an assignment as :func:`put_in_place` takes them."""
    return {cell.name: (cell.source, cell.metadata) for cell in released.cells}


def cells_in_file(path: Path) -> dict[str, tuple[str, dict[str, Any]]]:
    """The cells of a released notebook as :func:`put_in_place` takes them."""
    cells = nbformat.read(path, as_version=4).cells
    own = [(cell.source, cell.metadata.get("nbgrader", {})) for cell in cells]
    return {metadata.get("grade_id", ""): (source, metadata) for source, metadata in own}


def _handed_in(
    released: ReleasedAssignment, mine: ReleasedAssignment, texts: set[str]
) -> ReleasedAssignment:
    """The variant whose texts the notebook holds; the student's own one if that is not clear."""

    def own_texts(variant: ReleasedAssignment) -> int:
        return sum(
            cell.source.strip() in texts and cell.source != other.source
            for cell, other in zip(variant.cells, mine.cells, strict=True)
            if cell.locked
        )

    found = max(released.variants, key=own_texts, default=mine)
    mine_too = any(
        cell.source.strip() in texts and cell.source != other.source
        for cell, other in zip(mine.cells, found.cells, strict=True)
        if cell.locked
    )
    return mine if mine_too or not own_texts(found) else found
