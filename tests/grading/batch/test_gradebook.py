"""The writer and its workers from within: late penalties, a worker that always dies."""

import datetime
import sqlite3

import nbformat
import pytest
import sqlalchemy

from grading.batch import repair
from grading.batch.autograde import converter_of
from grading.batch.grade_one import Result, explained
from grading.batch.gradebook import Recorder, WriteError, retry_while_locked
from grading.batch.local import Worker
from grading.batch.submissions import Submission
from grading.kernel import Bounds
from grading.limits import PatienceLimits
from grading.nbgrader_plugin import course_here

from .conftest import ASSIGNMENT


@pytest.fixture
def recorder(course, source, monkeypatch):
    with open(course.folder / "nbgrader_config.py", "a") as stream:
        stream.write('\nc.LateSubmissionPlugin.penalty_method = "zero"\n')
    with course.gradebook() as gradebook:
        due = datetime.datetime(2026, 1, 1)
        gradebook.update_or_create_assignment(ASSIGNMENT, duedate=due)
    monkeypatch.chdir(course.folder)
    with Recorder(converter_of(course_here(), ASSIGNMENT), source) as recorder:
        yield recorder


def result(source, student: str, points: str) -> Result:
    """A graded notebook with the same number in every check cell."""
    notebook = repair.without_work(source)
    for cell in notebook.cells:
        if cell.metadata.nbgrader.grade and cell.cell_type == "code":
            data = {"text/plain": points}
            cell.outputs = [nbformat.v4.new_output("execute_result", data)]
    return Result(student, "graded", 5 * float(points), 18, notebook=nbformat.writes(notebook))


def test_who_is_late_gets_nbgraders_penalty(course, source, recorder):
    for student, day in (("early", 1), ("late", 2)):
        time = f"2026-01-0{day} 00:00:00 UTC".encode()
        submission = Submission(student, files={"timestamp.txt": time})
        recorder.write(submission, result(source, student, "2.5"))
    with course.gradebook() as gradebook:
        penalties = {
            s.student_id: (n.score, n.late_submission_penalty)
            for s in gradebook.assignment_submissions(ASSIGNMENT)
            for n in s.notebooks
        }
    assert penalties == {"early": (12.5, None), "late": (12.5, 12.5)}


def test_a_result_that_cannot_be_written_leaves_nothing_behind(course, source, recorder):
    bad = result(source, "ada", "99")  # more than the cell has: nbgrader refuses
    with pytest.raises(ValueError, match="cannot be greater"):
        recorder.write(Submission("ada"), bad)
    with sqlite3.connect(course.folder / "gradebook.db") as connection:
        for table in ("student", "submitted_assignment", "grade", "grading_ledger"):
            assert connection.execute(f"select count(*) from {table}").fetchone() == (0,)
    recorder.write(Submission("ada"), result(source, "ada", "1"))
    assert course.points() == {"ada": 5}


def test_a_later_submission_replaces_the_files_of_an_earlier_one(course, source, recorder):
    first = Submission("ada", files={"data": b"1", "old/deep.txt": b"2", "check.py": b"mine"})
    second = Submission("ada", files={"data/now.txt": b"3", "old": b"4", "check.py/x": b"5"})
    for submission in (first, second):
        recorder.write(submission, explained(submission, source, "not needed"))
    folder = course.autograded("ada")
    files = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    assert set(files) == {*source.files, "simple_attention.ipynb", "data/now.txt", "old"}
    assert files["check.py"].read_bytes() == source.files["check.py"]
    assert oct(files["data/now.txt"].stat().st_mode)[-3:] == "444"


class Doomed(Worker):
    """A worker whose process is killed whenever it has started."""

    started = 0

    def start(self, context):
        super().start(context)
        self.started += 1
        self._process.kill()


def test_a_submission_whose_worker_dies_twice_is_explained(source, solved):
    worker = Doomed(Bounds(confined=False))
    content = nbformat.writes(solved).encode()
    found = worker.grade(source, Submission("ada", {"simple_attention.ipynb": content}))
    worker.close()
    assert (found.status, found.points, worker.started) == ("failed", 0, 2)
    assert "ended twice" in found.problem


def test_a_gradebook_that_stays_locked_ends_the_run_with_a_sentence(monkeypatch):
    locked = sqlalchemy.exc.OperationalError("", None, sqlite3.OperationalError("locked"))
    said = []

    def write():
        raise locked

    monkeypatch.setattr(PatienceLimits, "gradebook_seconds", 0.5)
    with pytest.raises(WriteError, match="was locked for"):
        retry_while_locked(write, said.append)
    assert said == ["The gradebook is locked by another program; trying again …"]
