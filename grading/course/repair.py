"""Put a submitted notebook in order: every cell of the assignment once, in its place, unharmed.

Students delete, duplicate and move cells, lose metadata on other platforms, and hand in files that
are half a notebook. What a student wrote is found by the cell's label and by the functions that it
defines; everything that belongs to the course comes from the source. Nothing of the submission is
trusted: a new notebook is built, and only text is taken over. What was changed is said in notes.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import contextlib
import json
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grading.check import printable
from grading.course.assignment import ReleasedAssignment, ReleasedCell, released_from_source
from grading.course.submissions import UnreadableError, read_notebook
from grading.errors import ExplainedError
from grading.limits import ShownLimits, SubmissionLimits

_PICTURES = ("image/png", "image/jpeg", "image/gif")


@dataclass
class Submitted:
    """A cell as the student handed it in.

    Attributes:
        label: the ``grade_id`` that it bears, or nothing.
        defines: the names that it defines, read as code.
    """

    cell_type: str
    source: str
    label: str = ""
    attachments: dict[str, dict[str, str]] = field(default_factory=dict)
    defines: set[str] = field(default_factory=set)


# ---- Reading -----------------------------------------------------------------------------------


def read(path: Path, assignment: str, notes: list[str]) -> NotebookNode:
    """Read one notebook file without a course; a link is the user's own, so it is followed.

    Raises:
        ExplainedError: if there is no notebook to be found.
    """
    if not path.exists():
        raise ExplainedError(f"There is no file {path}.")
    try:
        cells = parse(read_notebook(Path(os.path.realpath(path))), notes)
    except UnreadableError as error:
        raise ExplainedError(f"{str(path)!a}: {error}") from error
    return repaired(cells, released_from_source(assignment), notes)


def parse(content: bytes, notes: list[str]) -> list[Submitted]:
    """Read the cells of a notebook file.

    Raises:
        UnreadableError: if there are none to be found.
    """
    if not content.strip():
        raise UnreadableError("The file is empty.")
    try:
        document = json.loads(decoded(content, notes))
        if isinstance(document, dict) and "worksheets" in document:
            document = nbformat.convert(nbformat.from_dict(_shortened(document)), 4)
    except json.JSONDecodeError as error:
        ends = error.pos >= len(error.doc.rstrip()) - 1 or error.msg.startswith("Unterminated")
        cut = "it ends too early" if ends else "broken"
        raise UnreadableError(
            f"The file is no notebook that can be read (not valid JSON, {cut}: {error.msg}, line "
            f"{error.lineno})."
        ) from error
    except Exception as error:  # too deeply nested, numbers without end, half an old notebook
        raise UnreadableError(
            f"The file is no notebook that can be read ({type(error).__name__})."
        ) from error
    cells = document.get("cells") if isinstance(document, dict) else None
    if not isinstance(cells, list):
        raise UnreadableError("The file is valid JSON, but no notebook: it has no list of cells.")
    limit = SubmissionLimits.cells
    if len(cells) > limit:
        notes.append(f"It has {len(cells)} cells; those after the first {limit} are left out.")
    read = [_submitted(cell, notes) for cell in cells[:limit]]
    found = [cell for cell in read if cell is not None]
    left = SubmissionLimits.all_parsed_characters
    for cell in found:
        left -= len(cell.source)
        cell.defines = defined(cell.source, parsed=left >= 0)
    return found


def _shortened(document: dict[str, Any]) -> dict[str, Any]:
    """A notebook of the old form with no more cells than are read: to convert one takes long."""
    left, sheets = SubmissionLimits.cells + 1, []
    for sheet in document["worksheets"][:left]:
        cells = sheet["cells"][:left]
        left -= len(cells)
        sheets.append({**sheet, "cells": cells})
    return {**document, "worksheets": sheets}


def decoded(content: bytes, notes: list[str]) -> str:
    """Read a student's file as text, whatever an editor made of it; what is lost is noted."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("utf-8-sig", "replace")
        notes.append("The file is not UTF-8: characters that could not be read are shown as �.")
        return text


def _submitted(cell: Any, notes: list[str]) -> Submitted | None:
    if not isinstance(cell, dict):
        return None
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        source = ""
    # half a character, as JSON can spell it, is no text; NUL no database keeps
    source = source.encode("utf-8", "replace").decode().replace("\0", "�")
    source = source.replace("\r\n", "\n")
    limit = SubmissionLimits.cell_characters
    if len(source) > limit:
        notes.append(f"A cell of {len(source)} characters was cut to {limit}.")
        source = source[:limit]
    kind = cell.get("cell_type")
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    label = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    return Submitted(
        kind if kind in ("code", "markdown") else "raw",
        source,
        printable(label, SubmissionLimits.label_characters) if isinstance(label, str) else "",
        _attachments(cell.get("attachments")),
    )


def _attachments(found: Any) -> dict[str, dict[str, str]]:
    """Pictures that were dropped into a Markdown cell."""
    kept: dict[str, dict[str, str]] = {}
    for name, bundle in found.items() if isinstance(found, dict) else ():
        for mime, data in bundle.items() if isinstance(bundle, dict) else ():
            plain = re.fullmatch(r"[\w .()-]{1,100}", name)
            if plain and mime in _PICTURES and is_base64(data):
                kept[name] = {mime: data}
    return kept


def is_base64(data: Any) -> bool:
    """Say whether this is a text that can stand in a `data:` address."""
    try:
        return isinstance(data, str) and bool(base64.b64decode(data.strip(), validate=True))
    except (binascii.Error, ValueError):
        return False


def choose(
    notebooks: dict[str, bytes], released: ReleasedAssignment, notes: list[str]
) -> list[Submitted]:
    """Read the assignment's notebook, under its own name or, if there is none, another.

    Raises:
        UnreadableError: if there is no notebook, or none of which it is clear that it is the one.
    """
    expected = f"{released.notebook}.ipynb"
    if expected in notebooks:
        beside = ", ".join(sorted(set(notebooks) - {expected}))
        if beside:
            notes.append(f"{expected} was graded; beside it lay {beside}, not looked at.")
        return parse(notebooks[expected], notes)
    if not notebooks:
        raise UnreadableError(f"There is no notebook: expected {expected}.")
    candidates = {}
    for name, content in notebooks.items():
        remarks: list[str] = []
        try:
            cells = parse(content, remarks)
        except UnreadableError as error:
            if len(notebooks) == 1:
                raise UnreadableError(f"{name}: {error}") from error
            continue
        if len(notebooks) == 1 or _answers(cells, released):
            candidates[name] = cells, remarks
    if len(candidates) == 1:
        ((name, (cells, remarks)),) = candidates.items()
        notes += [f"There is no {expected}; {name} was graded instead.", *remarks]
        return cells
    raise UnreadableError(
        f"There is no {expected}, and it is not clear which of these to grade: "
        f"{', '.join(sorted(notebooks))}."
    )


def _answers(cells: list[Submitted], released: ReleasedAssignment) -> bool:
    asked = {name for cell in released.cells if not cell.locked for name in defined(cell.source)}
    return any(asked & cell.defines for cell in cells if cell.cell_type == "code")


# ---- Repairing ---------------------------------------------------------------------------------


def repaired(
    cells: list[Submitted], released: ReleasedAssignment, notes: list[str]
) -> NotebookNode:
    """Build the notebook that is graded: the assignment's cells with the student's work in them."""
    matched = _match(cells, released, notes)
    merged = _merged(cells, released, matched, notes)
    order = _order(cells, released, matched, merged, notes)
    by_position = {position: name for name, position in matched.items()}
    originals = {cell.name: cell for cell in released.cells}
    stubs = _stubs(cells, released, {**matched, **merged})
    new = []
    for item in order:
        name = item if isinstance(item, str) else by_position.get(item)
        if name in merged:
            elsewhere = Submitted("code", f"# The answer stands in the cell {merged[name]}.")
            new.append(_cell(originals[name], elsewhere))
        elif isinstance(item, str):
            new.append(_cell(originals[item], None))
        elif name is not None:
            new.append(_cell(originals[name], cells[item]))
        elif cells[item].source.strip() in stubs:
            which = stubs[cells[item].source.strip()]
            notes.append(f"A copy of the empty cell {which} is left out, so that the answer stays.")
        else:
            new.append(_own_cell(cells[item]))
    return _notebook(released, new)


def without_work(released: ReleasedAssignment) -> NotebookNode:
    """Build the notebook of a submission in which no work could be found."""
    return _notebook(released, [_cell(cell, None) for cell in released.cells])


def told(notes: list[str]) -> list[str]:
    """Notes as they may be shown anywhere: few, each a line that can be printed, bounded in length.

    They quote labels and names of files, which a student chooses.
    """
    limit = ShownLimits.notes
    lines = [printable(note, ShownLimits.note_characters) for note in notes[:limit]]
    more = len(notes) - limit
    return [*lines, f"… and {more} more notes."] if more > 0 else lines


def add_notes(notebook: NotebookNode, notes: list[str]) -> None:
    """Show on top of the notebook what was changed or went wrong; it is cleaned with the rest."""
    if notes:
        # A block of HTML without a blank line is not read as Markdown, but formulas are seen in it.
        lines = "".join(f"<li>{escape(note, quote=False)}</li>" for note in told(notes))
        lines = lines.replace("$", "＄").replace("\\", "＼")
        text = f"<div><b>From the grader</b><ul>{lines}</ul></div>"
        notebook.cells.insert(0, nbformat.v4.new_markdown_cell(text, id="from-the-grader"))


def _notebook(released: ReleasedAssignment, cells: list[NotebookNode]) -> NotebookNode:
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    metadata = {"kernelspec": released.kernelspec, "language_info": {"name": "python"}}
    notebook: NotebookNode = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    return notebook


def _cell(original: ReleasedCell, submitted: Submitted | None) -> NotebookNode:
    text = original.source if original.locked or submitted is None else submitted.source
    is_code = original.cell_type == "code"
    make: Any = nbformat.v4.new_code_cell if is_code else nbformat.v4.new_markdown_cell
    cell: NotebookNode = make(text, metadata={"nbgrader": original.metadata})
    if original.locked:
        cell.metadata |= {"deletable": False, "editable": False}
    elif original.cell_type == "markdown" and submitted is not None and submitted.attachments:
        cell.attachments = nbformat.from_dict(submitted.attachments)
    return cell


def _own_cell(submitted: Submitted) -> NotebookNode:
    """A cell that the student added. A raw one would be put into pages as it is."""
    cell: NotebookNode
    if submitted.cell_type == "code":
        cell = nbformat.v4.new_code_cell(submitted.source)
    elif submitted.cell_type == "raw":
        cell = nbformat.v4.new_markdown_cell(f"<pre>{escape(submitted.source)}</pre>")
    else:
        cell = nbformat.v4.new_markdown_cell(submitted.source)
        if submitted.attachments:
            cell.attachments = nbformat.from_dict(submitted.attachments)
    return cell


def _match(
    cells: list[Submitted], released: ReleasedAssignment, notes: list[str]
) -> dict[str, int]:
    """Find for each of the assignment's cells the one that is it: name to position."""
    matched: dict[str, int] = {}
    taken: set[int] = set()

    def take(original: ReleasedCell, position: int) -> None:
        matched[original.name] = position
        taken.add(position)

    copies: dict[str, list[int]] = {}
    for position, cell in enumerate(cells):
        if cell.label:
            copies.setdefault(cell.label, []).append(position)
    locked = [cell for cell in released.cells if cell.locked]
    answers = [cell for cell in released.cells if not cell.locked]

    for original in locked:  # unchanged text first: a copy may hold the student's own code
        same = [i for i in copies.get(original.name, []) if _same(cells[i], original)]
        if same:
            take(original, same[-1] if original.grade else same[0])
    for original in answers:
        answer = _answer(original, cells, copies.get(original.name, []), taken)
        if answer is not None:
            take(original, answer)
            label = cells[answer].label
            if label != original.name:
                wrong = f"labelled as {label}" if label else "without its label"
                notes.append(f"The answer {original.name} was found in a cell {wrong}.")
    for original in locked:
        if original.name in matched:
            continue
        labelled = [i for i in copies.get(original.name, []) if i not in taken]
        unlabelled = [i for i, c in enumerate(cells) if i not in taken and _same(c, original)]
        if labelled and cells[labelled[0]].cell_type == original.cell_type:
            take(original, labelled[0])
            if original.cell_type == "code":
                notes.append(f"The locked cell {original.name} was changed; it is as it was.")
        elif unlabelled:
            take(original, unlabelled[0])
    for number, original in enumerate(released.cells):  # prose: known by its place alone
        if original.locked or original.name in matched or original.cell_type == "code":
            continue
        prose = _between(cells, released, matched, taken, number)
        if prose is not None:
            take(original, prose)
            notes.append(f"The answer {original.name} was found by its place.")
    for name, positions in copies.items():
        if len(positions) > 1 and name in matched:
            notes.append(f"The cell {name} is there {len(positions)} times; one of them counts.")
    return matched


def _answer(
    original: ReleasedCell, cells: list[Submitted], labelled: list[int], taken: set[int]
) -> int | None:
    """Choose the cell that holds an answer: it defines what is asked for, best under its label."""
    labelled = [i for i in labelled if i not in taken]
    asked = defined(original.source)
    if not asked:
        written = [i for i in labelled if not _same(cells[i], original)]
        return next(reversed(written or labelled), None)

    def rank(position: int) -> tuple[bool, bool, bool, int]:
        cell = cells[position]
        defines = asked <= cell.defines
        attempted = defines and not _same(cell, original) and "NotImplementedError" not in (
            cell.source
        )  # fmt: skip
        return attempted, position in labelled, defines, position

    others = [
        i
        for i, cell in enumerate(cells)
        if i not in taken and cell.cell_type != "markdown" and asked <= cell.defines
    ]
    candidates = sorted({*labelled, *others}, key=rank)
    if not candidates:
        return None
    best = candidates[-1]
    # A label outweighs a definition elsewhere, unless nothing was written under the label.
    own = [i for i in labelled if not _same(cells[i], original)]
    if best not in labelled and own and not cells[best].label and _looks_written(cells[own[-1]]):
        return own[-1]
    return best


def _merged(
    cells: list[Submitted], released: ReleasedAssignment, matched: dict[str, int], notes: list[str]
) -> dict[str, str]:
    """Find answers that stand in the cell of another one: name to name.

    Their own cells are gone or as they were released; what was released would run behind the
    answer and take its place.
    """
    answers = {
        cell.name: (cell, defined(cell.source))
        for cell in released.cells
        if not cell.locked and cell.cell_type == "code"
    }
    merged = {}
    for name, (original, asked) in answers.items():
        own = matched.get(name)
        for other, (_, asked_there) in answers.items():
            position = matched.get(other)
            if not asked or asked <= asked_there or position is None or position == own:
                continue
            holder = cells[position]
            replaced = own is not None and not (
                _same(cells[own], original) and _looks_written(holder)
            )
            if asked <= holder.defines and not replaced:
                merged[name] = other
                notes.append(f"The answer {name} was found in the cell {other}, where it stays.")
                break
    return merged


def _stubs(
    cells: list[Submitted], released: ReleasedAssignment, found: dict[str, Any]
) -> dict[str, str]:
    """The texts of empty answers in whose place something was written, each with its name."""
    stubs = {}
    for cell in released.cells:
        where = found.get(cell.name)
        written = isinstance(where, str) or (where is not None and not _same(cells[where], cell))
        if written and not cell.locked and defined(cell.source):
            stubs[cell.source.strip()] = cell.name
    return stubs


def _looks_written(cell: Submitted) -> bool:
    return bool(cell.source.strip()) and "NotImplementedError" not in cell.source


def _between(
    cells: list[Submitted],
    released: ReleasedAssignment,
    matched: dict[str, int],
    taken: set[int],
    number: int,
) -> int | None:
    """Find a cell of prose between the neighbours that an answer has in the assignment."""
    before = next(
        (matched[c.name] for c in released.cells[number - 1 :: -1] if c.name in matched), -1
    )
    if number == 0:
        before = -1
    after = next(
        (matched[c.name] for c in released.cells[number + 1 :] if c.name in matched), len(cells)
    )
    names = {cell.name for cell in released.cells}
    prose = [
        i
        for i in range(before + 1, after)
        if i not in taken and cells[i].cell_type != "code" and cells[i].label not in names
    ]
    return max(prose, key=lambda i: len(cells[i].source), default=None)


def _order(
    cells: list[Submitted],
    released: ReleasedAssignment,
    matched: dict[str, int],
    merged: Iterable[str],
    notes: list[str],
) -> list[int | str]:
    """Put positions of submitted cells, and names of missing ones, in the order of the assignment.

    What the student added stays behind the cell that it stood behind.
    """
    by_position = {position: name for name, position in matched.items()}
    blocks: dict[str, list[int | str]] = {}
    current: list[int | str] = []
    head = current
    for position in range(len(cells)):
        if position in by_position:
            current = blocks[by_position[position]] = []
        current.append(position)
    names = [cell.name for cell in released.cells]
    found = [name for name in names if name in matched]
    if [matched[name] for name in found] != sorted(matched.values()):
        notes.append("Cells had been moved; they are back in the order of the assignment.")
    missing = [cell for cell in released.cells if cell.name not in {*matched, *merged}]
    if missing:
        which = ", ".join(cell.name for cell in missing if cell.cell_type == "code" or cell.grade)
        if which:
            notes.append(f"These cells were missing and were put back: {which}.")
    order: list[int | str] = list(head)
    for name in names:
        order += blocks.get(name, [name])
    return order


def _same(cell: Submitted, original: ReleasedCell) -> bool:
    return cell.source.strip() == original.source.strip()


_DEFINITION = re.compile(r"^(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*=", re.MULTILINE)


def defined(source: str, parsed: bool = True) -> set[str]:
    """Name the functions and classes that a cell defines, even if it does not parse."""
    if parsed and len(source) <= SubmissionLimits.parsed_characters:
        with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return set(_names(ast.parse(source).body))
    return {one or other for one, other in _DEFINITION.findall(source)}


def _names(statements: Iterable[ast.stmt]) -> Iterable[str]:
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Assign):
            yield from (target.id for target in statement.targets if isinstance(target, ast.Name))
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _names(statement.body)
