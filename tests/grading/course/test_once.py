"""Whatever is killed, locked, full or gone: after a rerun every submission is graded once."""

import copy
import os
import signal
import sqlite3
import subprocess
import sys
import time

import psutil
import pytest

from grading.running import sandbox

from .conftest import ASSIGNMENT, INSECURE, NAME, ROOT, WRONG_SCALE, Course, cell

STUDENTS = [f"s{number}" for number in range(5)]
needs_sandbox = pytest.mark.skipif(
    not sandbox.available()[0], reason="only a sandboxed kernel has a warm parent"
)


@pytest.fixture
def handed_in(course, solved) -> Course:
    for student in STUDENTS:
        course.hand_in(student, solved)
    return course


def ledger(course: Course) -> dict[str, tuple]:
    if not (course.folder / "gradebook.db").exists():
        return {}
    with sqlite3.connect(course.folder / "gradebook.db", timeout=30) as connection:
        try:
            rows = connection.execute("select student, points, graded_at from grading_ledger")
            return {student: rest for student, *rest in rows}
        except sqlite3.OperationalError:
            return {}


def everybody_once(course: Course, points: float = 18.0) -> None:
    with course.gradebook() as gradebook:
        submissions = gradebook.assignment_submissions(ASSIGNMENT)
        assert sorted(s.student_id for s in submissions) == STUDENTS
        assert all(len(n.grades) == 6 for s in submissions for n in s.notebooks)
    assert course.points() == dict.fromkeys(STUDENTS, points)
    assert {s: row[0] for s, row in ledger(course).items()} == dict.fromkeys(STUDENTS, points)
    for student in STUDENTS:
        left = {path.name for path in course.autograded(student).iterdir()}
        assert left == {NAME, "check.py", "cases.safetensors.gz"}


def until(condition, seconds: float = 240):
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
    return found


def those(process: psutil.Process, word: str) -> list[psutil.Process]:
    found = []
    for child in process.children(recursive=True):
        try:
            if word in " ".join(child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
        except psutil.NoSuchProcess:
            pass
    return found


@needs_sandbox
def test_killed_workers_parents_and_kernels_cost_nobody_a_point(handed_in):
    process = handed_in.start_autograde("--jobs", "2")
    writer = psutil.Process(process.pid)

    def kernels():  # forked from the warm parent
        return [k for p in those(writer, "parent.py") for k in p.children()]

    until(lambda: ledger(handed_in) or process.poll() is not None)
    until(kernels)[0].send_signal(signal.SIGKILL)
    until(kernels)
    those(writer, "parent.py")[0].send_signal(signal.SIGKILL)
    until(lambda: those(writer, "grading autograde"))[-1].send_signal(signal.SIGKILL)
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    everybody_once(handed_in)
    assert "Not graded" not in out


def test_after_the_writer_was_killed_the_next_run_goes_on(handed_in):
    process = handed_in.start_autograde("--jobs", "2")
    until(lambda: ledger(handed_in) or process.poll() is not None)
    helpers = psutil.Process(process.pid).children(recursive=True)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    _, alive = psutil.wait_procs(helpers, timeout=60)
    assert alive == []
    before = ledger(handed_in)
    assert 1 <= len(before) < len(STUDENTS)

    done = handed_in.autograde("--jobs", "1")
    assert done.returncode == 0, done.stderr
    everybody_once(handed_in)
    after = ledger(handed_in)
    assert {student: after[student] for student in before} == before
    assert f"{len(before)} recorded before" in " ".join(done.stdout.split())

    files = {s: os.stat(handed_in.autograded(s) / NAME).st_mtime_ns for s in STUDENTS}
    again = handed_in.autograde()
    assert "0 graded now" in again.stdout
    assert ledger(handed_in) == after
    assert {s: os.stat(handed_in.autograded(s) / NAME).st_mtime_ns for s in STUDENTS} == files


def test_changes_of_recorded_points_are_shown_before_they_are_written(course, solved):
    for student in ("ada", "bob", "eve"):
        course.hand_in(student, solved)
    assert course.autograde("--jobs", "1").returncode == 0
    with course.gradebook() as gradebook:  # a person reads and grades what is written by hand
        for student in ("ada", "bob"):
            grade = gradebook.find_grade("why_root", "simple_attention", ASSIGNMENT, student)
            grade.manual_score, grade.needs_manual_grade = 1.5, False
            comment = gradebook.find_comment("why_root", "simple_attention", ASSIGNMENT, student)
            comment.manual_comment = "Well said."
        gradebook.db.commit()
    # as if it had been graded before an exercise was corrected
    with sqlite3.connect(course.folder / "gradebook.db") as connection:
        connection.execute("update grading_ledger set source_key = 'old', points = 15")
        connection.execute("update grading_ledger set points = 18 where student = 'bob'")
        connection.execute("update grade set auto_score = 0 where auto_score = 5")
    handed_in_again = copy.deepcopy(solved)
    cell(handed_in_again, "weights_time_first-answer").source = WRONG_SCALE
    course.hand_in("eve", handed_in_again)

    asked = course.autograde("--jobs", "1")
    assert asked.returncode == 3
    assert "1 submission changes: 1 get more, 0 get less." in asked.stderr
    row = next(line for line in asked.stderr.splitlines() if "ada" in line)
    assert [word for word in row.split() if word[0].isdigit() or word[0] == "+"] == [
        "15", "18", "+3",
    ]  # fmt: skip
    assert course.points() == {"ada": 13, "bob": 18, "eve": 15}

    done = course.autograde("--jobs", "1", "--yes")
    assert done.returncode == 0, done.stderr
    assert course.points() == {"ada": 18, "bob": 18, "eve": 15}
    with course.gradebook() as gradebook:
        for student in ("ada", "bob"):
            grade = gradebook.find_grade("why_root", "simple_attention", ASSIGNMENT, student)
            assert (grade.manual_score, grade.needs_manual_grade) == (1.5, False)
            comment = gradebook.find_comment("why_root", "simple_attention", ASSIGNMENT, student)
            assert comment.manual_comment == "Well said."
            assert gradebook.find_submission(ASSIGNMENT, student).score == 19.5


def test_a_second_run_is_refused_with_the_number_of_the_first(handed_in, monkeypatch, capsys):
    from grading.commands import main
    from grading.course.grade_class import exclusive_lock

    monkeypatch.chdir(handed_in.folder)
    with exclusive_lock(handed_in.folder):
        assert main(["autograde", ASSIGNMENT, *INSECURE]) == 2
    errors = capsys.readouterr().err
    assert f"process {os.getpid()}" in errors
    assert errors.count("\n") == 1
    assert ledger(handed_in) == {}


def test_a_locked_gradebook_is_waited_for(course, solved):
    course.hand_in("ada", solved)
    blocker = sqlite3.connect(course.folder / "gradebook.db", isolation_level=None)
    blocker.execute("begin exclusive")
    process = course.start_autograde("--jobs", "1")
    for line in process.stderr:
        if "locked" in line:
            break
    blocker.execute("rollback")
    out, errors = process.communicate(timeout=600)
    assert process.returncode == 0, out + errors
    assert course.points() == {"ada": 18}


# Writes the records of many submissions without grading them, until something is in the way.
WRITE_MANY = """
import sys
from pathlib import Path
from grading.course.autograde import converter_of
from grading.course.gradebook import Recorder, WriteError
from grading.course.assignment import read_released
from grading.course.submissions import Submission
from grading.course.grade_submission import explained
from grading.course.nbgrader_plugin import course_here
converter = converter_of(course_here(), "{assignment}")
source = read_released(converter.coursedir, "{assignment}")
written = 0
try:
    with Recorder(converter, source) as recorder:
        for number in range(60):
            submission = Submission(f"s{{number}}", files={{"data.bin": b"x" * 500_000}})
            recorder.write(submission, explained(submission, source, "not needed"))
            written += 1
            if number == {vanishes}:
                Path("gradebook.db").unlink()
except WriteError as error:
    print(written, error)
"""


def write_many(course: Course, vanishes: int = -1, before: str = "") -> tuple[int, str]:
    script = course.folder / "write_many.py"
    script.write_text(WRITE_MANY.format(assignment=ASSIGNMENT, vanishes=vanishes))
    command = f"{before} exec {sys.executable} write_many.py"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", command]
        if before
        else ["sh", "-c", command],
        cwd=course.folder, capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    written, _, sentence = done.stdout.partition(" ")
    assert written.isdigit(), done.stdout + done.stderr
    return int(written), sentence


def test_a_gradebook_that_vanishes_is_noticed_at_once(course):
    written, sentence = write_many(course, vanishes=1)
    assert written == 2
    assert "was removed or replaced" in sentence


def can_mount() -> bool:
    command = [
        "unshare",
        "--user",
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "x",
        "/mnt",
    ]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not can_mount(), reason="this machine lets nobody mount a small disk")
def test_on_a_full_disk_nothing_is_half_written(course, tmp_path):
    mount = (
        f"mkdir small && mount -t tmpfs -o size=12m small small && cp -r nbgrader_config.py "
        f"exercises gradebook.db write_many.py small && cd small && trap 'cp -r . {tmp_path}' EXIT;"
    )
    written, sentence = write_many(course, before=f"set -e; {mount}".replace("exec", ""))
    assert "No space left on device" in sentence or "disk is full" in sentence
    assert 0 < written < 60


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--student", "nobody"], "No submission of a student 'nobody' was found."),
        (["--student", "../s0"], "No submission of a student '../s0' was found."),
        (["--jobs", "0"], "--jobs: found 0, expected 1 or more."),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    handed_in, monkeypatch, capsys, options, sentence
):
    from grading.commands import main

    monkeypatch.chdir(handed_in.folder)
    assert main(["autograde", ASSIGNMENT, *INSECURE, *options]) == 2
    assert capsys.readouterr().err == f"python -m grading: {sentence}\n"


def test_before_the_release_the_command_says_what_to_do(tmp_path, monkeypatch, capsys, solved):
    from grading.commands import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "nbgrader_config.py").write_bytes((ROOT / "nbgrader_config.py").read_bytes())
    assert main(["autograde", ASSIGNMENT, *INSECURE]) == 2
    assert "There is no submission: expected folders" in capsys.readouterr().err
    Course(tmp_path).hand_in("ada", solved)
    assert main(["autograde", ASSIGNMENT, *INSECURE]) == 2
    assert f"run `nbgrader generate_assignment {ASSIGNMENT}` first" in capsys.readouterr().err
