"""Damaged notebooks become the assignment's notebook again, with the student's work in it."""

import ast
import copy
import json
import time
from types import SimpleNamespace

import nbformat
import pytest

from grading.course import repair
from grading.course.submissions import UnreadableError
from grading.limits import SubmissionLimits

ANSWER = "def weights_time_first(query, key):\n    return 'mine'"
CHECKS = [
    f"{name}-check"
    for name in (
        "weights_time_first", "padded_heads", "merge_halves", "repaired_attention", "telling_input",
    )
]  # fmt: skip


@pytest.fixture
def answered(released):
    """The released notebook with one answer and some prose of the student."""
    notebook = copy.deepcopy(released)
    named(notebook, "weights_time_first-answer").source = ANSWER
    named(notebook, "why_root").source = "Because of the variance."
    return notebook


def named(notebook, name):
    found = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name]
    assert len(found) == 1, f"{name} is there {len(found)} times"
    return found[0]


def repaired(notebook, source):
    notes = []
    for number, cell in enumerate([] if isinstance(notebook, bytes) else notebook.cells):
        cell.id = str(number)
    content = notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode()
    result = repair.repaired(repair.parse(content, notes), source, notes)
    nbformat.validate(result)
    names = [cell.metadata.get("nbgrader", {}).get("grade_id") for cell in result.cells]
    assert [name for name in names if name] == [cell.name for cell in source.cells]
    for released_cell in source.cells:
        cell = named(result, released_cell.name)
        assert cell.metadata.nbgrader == released_cell.metadata
        assert cell.cell_type == released_cell.cell_type
        if released_cell.locked:
            assert cell.source == released_cell.source
    return result, notes


def test_an_undamaged_notebook_stays_as_it_is(answered, source):
    result, notes = repaired(answered, source)
    assert notes == []
    assert [c.source for c in result.cells] == [c.source for c in answered.cells]


def test_deleted_cells_come_back_in_their_places(answered, source):
    answered.cells = [
        c for c in answered.cells if c.metadata.nbgrader.grade_id not in {*CHECKS, "setup"}
    ]
    result, notes = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert "were missing and were put back" in notes[0]
    assert "setup" in notes[0]


def test_a_moved_cell_goes_back_and_takes_what_the_student_put_behind_it_along(answered, source):
    answer = named(answered, "weights_time_first-answer")
    helper = nbformat.v4.new_code_cell("helper = 1")
    answered.cells.remove(answer)
    answered.cells += [answer, helper]
    result, notes = repaired(answered, source)
    position = result.cells.index(named(result, "weights_time_first-answer"))
    assert result.cells[position].source == ANSWER
    assert result.cells[position + 1].source == "helper = 1"
    assert "moved" in notes[0]


def test_cells_without_metadata_are_known_by_what_they_define(answered, source):
    for cell in answered.cells:
        cell.metadata = {}
    result, _ = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert named(result, "why_root").source == "Because of the variance."
    assert len(result.cells) == len(answered.cells)


def test_of_a_doubled_answer_the_one_that_was_written_counts(answered, source):
    answer = named(answered, "weights_time_first-answer")
    stub = next(c for c in source.cells if c.name == "weights_time_first-answer").source
    double = copy.deepcopy(answer)
    double.source = stub
    answered.cells.insert(answered.cells.index(answer) + 1, double)
    result, notes = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert "is there 2 times" in notes[0]


def test_exchanged_labels_are_put_right(answered, source):
    one, other = (named(answered, f"{n}-answer") for n in ("weights_time_first", "padded_heads"))
    other.source = "def padded_heads(query, key, value, attention_mask=None):\n    return 'heads'"
    one.metadata.nbgrader, other.metadata.nbgrader = (
        copy.deepcopy(other.metadata.nbgrader), copy.deepcopy(one.metadata.nbgrader),
    )  # fmt: skip
    result, notes = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert "'heads'" in named(result, "padded_heads-answer").source
    assert "labelled as padded_heads-answer" in " ".join(notes)


def test_an_answer_written_into_the_check_cell_is_kept(answered, source):
    stub = next(c for c in source.cells if c.name == "weights_time_first-answer").source
    named(answered, "weights_time_first-answer").source = stub
    named(answered, "weights_time_first-check").source = ANSWER
    result, _ = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER


def test_a_changed_locked_cell_is_as_it_was_released(answered, source):
    named(answered, "setup").source = "check = print"
    _, notes = repaired(answered, source)
    assert notes == ["The locked cell setup was changed; it is as it was."]


@pytest.mark.parametrize(
    "metadata",
    [
        {"schema_version": 99},
        {"points": 1000},
        {"grade": True, "solution": False, "locked": True},
        {"task": True, "points": "many"},
        {"grade_id": ["a"]},
        {"grade_id": "unknown"},
    ],
)
def test_invented_metadata_count_for_nothing(answered, source, metadata):
    document = json.loads(nbformat.writes(answered))
    for cell in document["cells"]:
        cell["metadata"] = {
            "nbgrader": {**cell["metadata"]["nbgrader"], **metadata},
            "tags": ["skip-execution"],
        }
    result, _ = repaired(json.dumps(document).encode(), source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert not any("tags" in cell.metadata for cell in result.cells)


def test_another_kernel_and_other_cell_types_do_not_matter(answered, source):
    answered.metadata.kernelspec = {"name": "ir", "language": "R", "display_name": "R"}
    document = json.loads(nbformat.writes(answered))
    for cell in document["cells"]:
        cell["cell_type"] = "raw"
    result, _ = repaired(json.dumps(document).encode(), source)
    assert result.metadata.kernelspec.name == "python3"
    assert named(result, "weights_time_first-answer").source == ANSWER


def test_a_notebook_of_the_third_version_is_read(answered, source):
    third = nbformat.v3.convert.downgrade(nbformat.v4.convert.downgrade(answered))
    assert b"worksheets" in nbformat.v3.writes_json(third).encode()
    result, _ = repaired(nbformat.v3.writes_json(third).encode(), source)
    assert named(result, "weights_time_first-answer").source == ANSWER


def test_a_notebook_of_the_third_version_with_very_many_cells_takes_no_time():
    cell = '{"cell_type": "code", "input": "", "language": "python", "outputs": [], "metadata": {}}'
    sheet = f'{{"metadata": {{}}, "cells": [{", ".join([cell] * 200_000)}]}}'
    text = f'{{"nbformat": 3, "nbformat_minor": 0, "metadata": {{}}, "worksheets": [{sheet}]}}'
    notes, begin = [], time.process_time()
    assert len(repair.parse(text.encode(), notes)) == SubmissionLimits.cells
    assert time.process_time() - begin < 5
    assert "are left out" in notes[0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_other_encodings_are_read(answered, source, encoding):
    named(answered, "weights_time_first-answer").source = f"# naïve\n{ANSWER}"
    result, notes = repaired(nbformat.writes(answered).encode(encoding, "ignore"), source)
    assert ANSWER in named(result, "weights_time_first-answer").source
    assert bool(notes) == (encoding == "latin-1")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b'{"cells": [{"cell_type": "code", "source', "not valid JSON, it ends too early"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not valid JSON"),
        (b"PK\x03\x04" + b"\x00" * 100, "not valid JSON"),
        (b"[1, 2]", "no list of cells"),
        (b"{}", "no list of cells"),
        (b"[" * 200_000, "that can be read"),
        (b'{"cells": ' + b"9" * 10_000 + b"}", "that can be read"),
        (b'{"worksheets": 5}', "that can be read"),
    ],
)
def test_what_is_no_notebook_is_said_in_a_sentence(content, sentence):
    with pytest.raises(UnreadableError, match=sentence):
        repair.parse(content, [])


@pytest.mark.parametrize(
    "cells",
    [
        [None, 5, "text", {}],
        [{"cell_type": "code", "source": {"a": 1}, "metadata": []}],
        [{"cell_type": "code", "source": ["a", 5, None], "metadata": {"nbgrader": 5}}],
        [{"cell_type": [], "source": "\ud800", "metadata": {"nbgrader": {"grade_id": {}}}}],
        [{"cell_type": "code", "source": "-" * 100_000 + "1"}],
        [{"cell_type": "code", "source": "(" * 100_000}],
        [{"cell_type": "code", "source": "x = " + "+".join(["1"] * 100_000)}],
        [{"cell_type": "markdown", "source": "", "attachments": {"../x": {"text/html": "a"}}}],
    ],
)
def test_cells_of_any_form_give_a_notebook(source, cells):
    repaired(json.dumps({"cells": cells}).encode(), source)


def test_a_notebook_of_another_name_is_used_and_that_is_said(answered, source):
    notes = []
    content = nbformat.writes(answered).encode()
    other = nbformat.writes(nbformat.v4.new_notebook()).encode()
    cells = repair.choose({"my homework.ipynb": content, "scratch.ipynb": other}, source, notes)
    assert any(cell.source == ANSWER for cell in cells)
    assert "my homework.ipynb was graded instead" in notes[0]


def test_without_a_notebook_or_with_too_many_the_reason_is_said(answered, source):
    with pytest.raises(UnreadableError, match="There is no notebook: expected simple_attention"):
        repair.choose({}, source, [])
    content = nbformat.writes(answered).encode()
    with pytest.raises(UnreadableError, match="not clear which of these to grade: a"):
        repair.choose({"a.ipynb": content, "b.ipynb": content}, source, [])


@pytest.fixture
def merged(answered):
    """A second answer was merged into the cell of the first, as Jupyter merges cells."""
    other = named(answered, "padded_heads-answer")
    named(
        answered, "weights_time_first-answer"
    ).source += (
        "\n\n\ndef padded_heads(query, key, value, attention_mask=None):\n    return 'heads'"
    )
    answered.cells.remove(other)
    return answered


@pytest.mark.parametrize("stub", ["gone", "as it was released", "twice"])
@pytest.mark.parametrize("holder", ["weights_time_first", "padded_heads"])
def test_answers_in_merged_cells_are_not_replaced_by_what_was_released(
    merged, source, stub, holder
):
    other = {"weights_time_first": "padded_heads", "padded_heads": "weights_time_first"}[holder]
    cell = named(merged, "weights_time_first-answer")
    cell.metadata.nbgrader.grade_id = f"{holder}-answer"
    original = next(c for c in source.cells if c.name == f"{other}-answer")
    for _ in range(["gone", "as it was released", "twice"].index(stub)):
        empty = nbformat.v4.new_code_cell(original.source)
        empty.metadata.nbgrader = original.metadata
        merged.cells.append(empty)
    result, notes = repaired(merged, source)
    written = "".join(c.source for c in result.cells if c.metadata.get("nbgrader", {}).solution)
    for name in ("weights_time_first", "padded_heads"):
        assert written.count(f"def {name}(") == 1
    assert "'heads'" in written
    assert "'mine'" in written
    assert not any("nbgrader" not in c.metadata for c in result.cells)
    assert any("was found in the cell" in note and "where it stays" in note for note in notes)
    assert not any("put back" in note for note in notes)


@pytest.mark.parametrize("labelled", [True, False])
def test_an_empty_copy_below_an_answer_does_not_replace_it(answered, source, labelled):
    answer = named(answered, "weights_time_first-answer")
    double = copy.deepcopy(answer)
    double.source = next(c for c in source.cells if c.name == "weights_time_first-answer").source
    if not labelled:
        double.metadata = {}
    answered.cells.insert(answered.cells.index(answer) + 1, double)
    result, notes = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert sum("def weights_time_first(" in cell.source for cell in result.cells) == 1
    assert "A copy of the empty cell weights_time_first-answer is left out" in notes[-1]


def test_a_written_answer_with_another_label_is_found_by_its_place(answered, source):
    for number, cell in enumerate(answered.cells):
        cell.metadata.nbgrader.grade_id = f"cell-{number}"
    result, notes = repaired(answered, source)
    assert named(result, "why_root").source == "Because of the variance."
    assert not any("put back" in note for note in notes)


def test_time_to_repair_is_bounded_whatever_the_cells_hold(answered, source, monkeypatch):
    read = []

    def parse(text):
        read.append(text)
        return ast.parse(text)

    monkeypatch.setattr(repair, "ast", SimpleNamespace(**{**vars(ast), "parse": parse}))
    dense = "x = [0, 0, 0]\n" * 600
    answered.cells += [nbformat.v4.new_code_cell(f"{dense}#{n}") for n in range(40)]
    answered.cells.append(nbformat.v4.new_code_cell(dense * 20 + "def telling_input(): return 1"))
    result, _ = repaired(answered, source)
    assert named(result, "weights_time_first-answer").source == ANSWER
    assert "return 1" in named(result, "telling_input-answer").source
    assert sum(map(len, read)) < SubmissionLimits.all_parsed_characters + 50_000
    assert all(len(text) <= SubmissionLimits.parsed_characters for text in read)
