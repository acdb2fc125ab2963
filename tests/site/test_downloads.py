"""What a student downloads: complete, without answers, and it works from nothing but its folder."""

import io
import re
import zipfile

import nbformat
import pytest

from _ext.exports.assignments import EXERCISES, student_version

ASSIGNMENTS = sorted(folder.name for folder in EXERCISES.glob("[0-9]*"))


@pytest.fixture(params=ASSIGNMENTS)
def archive(request, site):
    with zipfile.ZipFile(site / "assignments" / f"{request.param}.zip") as found:
        yield found


def test_an_archive_holds_the_notebook_and_what_it_needs(archive):
    names = {name.split("/")[1] for name in archive.namelist()}
    assert {"check.py", "cases.safetensors.gz"} <= names
    assert sum(name.endswith(".ipynb") for name in names) == 1


def test_no_answer_and_no_output_is_in_it(archive):
    (name,) = (name for name in archive.namelist() if name.endswith(".ipynb"))
    notebook = nbformat.read(io.StringIO(archive.read(name).decode()), as_version=4)
    answers = [c for c in notebook.cells if c.metadata.nbgrader.get("solution")]
    assert answers
    for cell in answers:
        assert "YOUR CODE HERE" in cell.source or "YOUR ANSWER HERE" in cell.source
    text = archive.read(name).decode()
    assert "BEGIN SOLUTION" not in text
    assert all(not cell.get("outputs") for cell in notebook.cells)


def test_the_answers_are_gone_because_they_are_taken_out():
    (path,) = (EXERCISES / "01_simple_attention").glob("*.ipynb")
    source = nbformat.read(path, as_version=4)
    answers = [
        line.strip()
        for cell in source.cells
        for answer in re.findall("### BEGIN SOLUTION\n(.*?)### END SOLUTION", cell.source, re.S)
        for line in answer.splitlines()
        if "=" in line
    ]
    assert len(answers) > 10
    released = "\n".join(cell.source for cell in student_version(source).cells)
    assert [line for line in answers if line in released] == []
