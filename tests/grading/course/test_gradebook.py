"""The writer and its workers from within: late penalties, a worker that always dies."""

import copy
import datetime
import sqlite3

import nbformat
import pytest
import sqlalchemy

from grading.course import repair
from grading.course.autograde import converter_of
from grading.course.grade_class import GradingRun
from grading.course.grade_submission import Result, explained
from grading.course.gradebook import Recorder, WriteError, retry_while_locked
from grading.course.local import Worker
from grading.course.nbgrader_plugin import course_here
from grading.course.submissions import Submission
from grading.limits import PatienceLimits
from grading.running.kernel import Bounds

from .conftest import ASSIGNMENT, NAME, cell


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
    for each in notebook.cells:
        if each.metadata.nbgrader.grade and each.cell_type == "code":
            data = {"text/plain": points}
            each.outputs = [nbformat.v4.new_output("execute_result", data)]
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


class Prepared:
    """Workers that have their results already."""

    def __init__(self, *results: Result):
        self._by_student = {each.student: each for each in results}

    def results(self, released, submissions):
        for submission in submissions:
            yield submission, self._by_student[submission.student]


def graded(course, source, recorder, *results: Result):
    """Grade what is handed in, with these results."""
    for each in results:
        course.hand_in(each.student, each.notebook.encode())
    folders = {each.student: course.folder / "submitted" / each.student / ASSIGNMENT
               for each in results}  # fmt: skip
    run = GradingRun(recorder._converter, source, recorder, Prepared(*results))
    return run.grade(folders)


def answered(one: Result, text: str) -> Result:
    """The same result with another written answer."""
    notebook = nbformat.reads(one.notebook, as_version=4)
    cell(notebook, "why_root").source = text
    changed = copy.copy(one)
    changed.notebook = nbformat.writes(notebook)
    return changed


def test_points_by_hand_for_an_older_answer_do_not_outvote_the_new_one(course, source, recorder):
    first = [answered(result(source, student, "1"), "Once.") for student in ("ada", "ben", "cyd")]
    graded(course, source, recorder, *first)
    by_hand = {"why_root": 1.5, "padded_heads-check": 4.0}
    with course.gradebook() as gradebook:
        for student in ("ada", "ben", "cyd"):
            for name, points in by_hand.items():
                grade = gradebook.find_grade(name, "simple_attention", ASSIGNMENT, student)
                grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()
    better = answered(result(source, "ada", "2.5"), "Once.")
    other = answered(result(source, "cyd", "1"), "Twice.")
    rewritten = answered(result(source, "ben", "1"), "Twice.")
    half = nbformat.reads(rewritten.notebook, as_version=4)  # as if killed before it was recorded
    half.metadata.submission = "another"
    nbformat.write(half, course.autograded("ben") / NAME)
    summary = graded(course, source, recorder, better, rewritten, other)
    shown = {change.student: vars(change) for change in summary.again}
    assert shown == {
        "ada": {"student": "ada", "old_points": 5, "new_points": 12.5,
                "set_aside": {"padded_heads-check": 4.0}, "kept": False},
        "ben": {"student": "ben", "old_points": 5, "new_points": 5, "set_aside": by_hand,
                "kept": False},
        "cyd": {"student": "cyd", "old_points": 5, "new_points": 5,
                "set_aside": {"why_root": 1.5}, "kept": False},
    }  # fmt: skip
    with course.gradebook() as gradebook:
        found = {
            (s.student_id, g.name): (g.score, g.needs_manual_grade)
            for s in gradebook.assignment_submissions(ASSIGNMENT)
            for n in s.notebooks
            for g in n.grades
            if g.name in by_hand
        }
    assert found == {
        ("ada", "why_root"): (1.5, False), ("ada", "padded_heads-check"): (2.5, False),
        ("ben", "why_root"): (0, True), ("ben", "padded_heads-check"): (1, False),
        ("cyd", "why_root"): (0, True), ("cyd", "padded_heads-check"): (4, False),
    }  # fmt: skip


def test_an_unknown_student_is_named_and_the_others_are_graded(course, source, recorder):
    recorder._converter.create_student = False
    with course.gradebook() as gradebook:
        gradebook.update_or_create_student("ben")
    summary = graded(course, source, recorder, *(result(source, s, "1") for s in ("ada", "ben")))
    assert list(summary.unrecorded) == ["ada"]
    assert "run `nbgrader db student add ada`" in summary.unrecorded["ada"]
    assert not summary.complete
    assert summary.graded == 1
    assert course.points() == {"ben": 5}
