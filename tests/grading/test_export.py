"""Tables for spreadsheets: what a student is called is never a formula, nor more than a cell."""

import csv
import datetime
import io
import os
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from grading.course.spreadsheets import COLUMNS, FORMULA, HarmlessExport, harmless, write_table

FORMULAS = [
    "=1+1", "+1", "-2+3", "@SUM(1,1)", "\t=cmd", "\r=cmd", "＝1+1", "＋1", "－1", "＠SUM(1)",
    "=HYPERLINK(\"http://evil.example\")", "=cmd|'/c calc'!A1",
]  # fmt: skip
NAMES = ["ada", "-", "", "Zoë Müller", "a,b;c", 'say "x"', "学生", "0.5", "a=b"]


@pytest.mark.parametrize("text", FORMULAS)
def test_what_begins_like_a_formula_is_text(text):
    assert harmless(text) == f"'{text}".replace("\r", " ").replace("\t=", "\t'=")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quotes", ["", '"', '""', "',\""])
@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_is_a_formula_whatever_separates_them(separator, quotes, formula):
    stream = io.StringIO(newline="")
    write_table([["ada", f"x;{quotes}{formula};", f"{quotes},{formula}\t{formula}"]], stream)
    stream.seek(0)
    for row in csv.reader(stream, delimiter=separator):
        assert not [cell for cell in row if cell.startswith(tuple(FORMULA))]


@pytest.mark.parametrize("text", NAMES)
def test_other_texts_stay_as_they_are(text):
    assert harmless(text) == text


def test_a_table_is_read_back_as_it_was():
    stream = io.StringIO(newline="")
    write_table([NAMES, FORMULAS], stream)
    stream.seek(0)
    assert list(csv.reader(stream)) == [NAMES, list(map(harmless, FORMULAS))]


def test_nbgraders_export_has_its_columns_and_no_formula(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")  # alembic
    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db", "x") as gradebook:
        gradebook.add_assignment("01_x", duedate="2026-01-01")
        gradebook.add_notebook("x", "01_x")
        gradebook.add_grade_cell("q", "x", "01_x", max_score=5, cell_type="code")
        for student in ("=1+1", "a,b", "ada"):
            gradebook.add_student(student, first_name="＝x", email=None)
        when = datetime.datetime(2026, 1, 2)
        gradebook.add_submission("01_x", "ada", timestamp=when)
        gradebook.find_grade("q", "x", "01_x", "ada").auto_score = 3
        gradebook.db.commit()
        HarmlessExport().export(gradebook)
    with open("grades.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert tuple(rows[0]) == COLUMNS
    found = {row["student_id"]: (row["first_name"], row["score"], row["max_score"]) for row in rows}
    assert found == {
        "'=1+1": ("'＝x", "0.0", "5.0"),
        "a,b": ("'＝x", "0.0", "5.0"),
        "ada": ("'＝x", "3.0", "5.0"),
    }  # fmt: skip
    (ada,) = (row for row in rows if row["student_id"] == "ada")
    assert ada["timestamp"] == "2026-01-02 00:00:00"


def test_an_export_into_no_folder_is_said_so(tmp_path):
    with pytest.raises(SystemExit, match="cannot be written"):
        HarmlessExport(to=str(tmp_path / "none/x.csv")).export(None)
