"""Due dates from one file: read whole or refused with its line, and known wherever points are."""

import contextlib
import copy
import csv
import datetime
import io
import os
import re

import nbformat
import pytest
from nbgrader.api import Gradebook

from grading.commands import main
from grading.content import assignments
from grading.course import repair, syllabus
from grading.course.autograde import converter_of
from grading.course.deadlines import DatesError, LatePenalty, due_dates, late_by
from grading.course.grade_class import GradingRun
from grading.course.grade_submission import Result
from grading.course.gradebook import Recorder
from grading.course.nbgrader_plugin import course_here
from grading.course.submissions import Submission, handed_in

from .conftest import ASSIGNMENT, ROOT, Course
from .test_gradebook import Prepared

PAGE = (ROOT / "chapters/instructors.md").read_text()
(EXAMPLE,) = re.findall(r"```toml\n(time_zone.*?)```", PAGE, re.DOTALL)
(SETTINGS,) = re.findall(r"```python\n(c\.LatePenalty.*?)```", PAGE, re.DOTALL)
LINES = re.findall(r"^python -m grading (.*)$", PAGE, re.MULTILINE)


def test_the_pages_example_is_read(tmp_path):
    (tmp_path / "due_dates.toml").write_text(EXAMPLE)
    dates = due_dates(tmp_path, {ASSIGNMENT, "02_multi_head"})
    # a date alone is meant to its end, in the course's time zone, summer time and all
    assert dates.due[ASSIGNMENT] == datetime.datetime(2026, 10, 12, 21, 59, 59)
    assert dates.due["02_multi_head"] == datetime.datetime(2026, 10, 26, 17)
    assert dates.extension(ASSIGNMENT, "ada") == datetime.timedelta(days=3)
    assert dates.extension(ASSIGNMENT, "Sean O'Brien") == datetime.timedelta(hours=12, seconds=1)
    assert dates.extension(ASSIGNMENT, "ben") is None
    assert dates.shown(dates.due[ASSIGNMENT]) == "2026-10-12 23:59 CEST"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[due]\n01_simple_attention = next week", "line 2: Invalid value; expected a date such"),
        ("[due]\n\n01_simple_attention = 'Monday'", "line 3: found 'Monday' for '01_simple_att"),
        ("[due]\n01_simple_attention = 2026-13-01", "line 2: "),
        ("[due]\n01_simple_attention = 2026-01-01\n09_magic = 2026-01-01",
         "line 3: there is no assignment '09_magic'; there are 01_simple_attention."),
        ("[due]\n01_simple_attention = 0001-01-01 00:00:00+10:00", "line 2: found 0001-01-01"),
        ("# all\ndue = 2026-01-01", "line 2: expected a table [due]."),
        ("dues = 1", "line 1: there is no setting 'dues', only time_zone, due, extensions."),
        ("time_zone = 'Atlantis'", "line 1: found 'Atlantis', expected a time zone such as"),
        ("time_zone = '../../../etc/passwd'", "line 1: found '../../../etc/passwd'"),
        ("time_zone = 1", "line 1: found 1, expected a time zone"),
        ("[extensions.01_simple_attention]\nada = 2026-01-01",
         "line 1: 01_simple_attention has no due date"),
        ("[due]\n01_simple_attention = 2026-01-02\n[extensions.01_simple_attention]\n# more\n"
         "ben = 2026-01-03\nada = 2026-01-01", "line 6: 'ada' would get no more time than all."),
        ("[due]\n01_simple_attention = 2026-01-02\n[extensions]\n01_simple_attention = 3",
         "line 4: expected a table [extensions.01_simple_attention]"),
        ("[due]\n01_simple_attention = 2026-01-02\n01_simple_attention = 2026-01-02", "line 3: "),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_its_line(tmp_path, text, sentence):
    (tmp_path / "due_dates.toml").write_text(text)
    with pytest.raises(DatesError) as error:
        due_dates(tmp_path, {ASSIGNMENT})
    assert error.value.args[0].startswith(f"due_dates.toml, {sentence}")
    assert "\n" not in error.value.args[0]


@pytest.mark.parametrize(
    ("hours", "penalty"), [(0.2, None), (0.3, 1), (24, 1), (24.1, 2), (49, 3), (2400, 5)]
)
def test_each_day_begun_costs_its_percent(hours, penalty):
    plugin = LatePenalty(percent_a_day=10, most_percent=50, grace_minutes=15)
    assert plugin.late_submission_penalty("ada", 10, hours * 3600) == penalty


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(20, "1 min"), (3600, "1 h"), (5400, "1 h 30 min"), (86400, "1 day"), (200_000, "2 days 7 h")],
)
def test_how_late_is_said_for_people(seconds, text):
    assert late_by(seconds) == text


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("2026-10-14 12:00:00.25 UTC", 12), ("2026-10-14 12:00:00 +0200", 10),
        ("2026-10-14 12:00:00 -03:00", 15), ("2026-10-14 12:00:00 Europe/Berlin", 10),
        ("2026-10-14 12:00:00", 12), ("2026-10-14T12:00:00+02:00", 10),
        ("2026-10-14 12:00:00 NOWHERE", None), ("2026-10-14 12:00:00 ../../../etc/passwd", None),
        ("2026-10-14 12:00:00 /etc/passwd", None), ("once", None), ("", None),
    ],
)  # fmt: skip
def test_a_time_of_handing_in_is_understood_or_is_none(text, hour):
    found = handed_in(Submission("ada", files={"timestamp.txt": text.encode()}))
    assert (found and found.hour) == hour


# ---- In a course --------------------------------------------------------------------------------


def result(source, student: str, points: str) -> Result:
    """A graded notebook with the same number in every check cell."""
    notebook = repair.without_work(source)
    for each in notebook.cells:
        if each.metadata.nbgrader.grade and each.cell_type == "code":
            data = {"text/plain": points}
            each.outputs = [nbformat.v4.new_output("execute_result", data)]
    exercises = [{"exercise": "padded_heads", "points": float(points), "max_points": 5,
                  "verdict": "partly", "mistakes": ["no_scale"], "message": ""}]  # fmt: skip
    return Result(
        student, "graded", 5 * float(points), 18, exercises=exercises,
        notebook=nbformat.writes(notebook),
    )  # fmt: skip


def grade(course: Course, source, *results: tuple[str, str, str]):
    """Grade as the command does, with these results: a student, points, the time of hand-in."""
    found = []
    for student, points, time in results:
        each = result(source, student, points)
        folder = course.hand_in(student, each.notebook.encode())
        (folder / "timestamp.txt").write_text(time)
        found.append(each)
    folders = {each.student: course.folder / "submitted" / each.student / ASSIGNMENT
               for each in found}  # fmt: skip
    with Recorder(converter_of(course_here(), ASSIGNMENT), source) as recorder:
        return GradingRun(recorder._converter, source, recorder, Prepared(*found)).grade(folders)


def command(*line: str) -> tuple[int, str]:
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        return main(line), said.getvalue()


def penalties(course: Course) -> dict[str, float]:
    with course.gradebook() as gradebook:
        found = gradebook.assignment_submissions(ASSIGNMENT)
        return {s.student_id: s.late_submission_penalty for s in found}


TIMES = {
    "ada": "2026-10-14 20:00:00 UTC",  # who has until the 15th
    "ben": "2026-10-12 21:59:59 UTC",
    "cyd": "2026-10-13 22:00:00 UTC",  # a day and a second
    "Sean O'Brien": "2026-10-14 12:00:00 +0200",  # a day after his own date
    "eve": "not a time",
    "fay": "9999-12-31 23:59:59 UTC",
}


@pytest.fixture(scope="module")
def dated(new_course, source):
    """A graded class with the dates and settings of the page."""
    course = new_course()
    (course.folder / "due_dates.toml").write_text(EXAMPLE)
    with open(course.folder / "nbgrader_config.py", "a") as stream:
        stream.write(f"\n{SETTINGS}\n")
    here = os.getcwd()
    os.chdir(course.folder)
    try:
        grade(course, source, *((student, "2", time) for student, time in TIMES.items()))
        yield course
    finally:
        os.chdir(here)


def test_dates_and_penalties_are_in_nbgraders_gradebook(dated):
    assert penalties(dated) == {"ada": 0, "ben": 0, "cyd": 2, "Sean O'Brien": 1, "eve": 0, "fay": 5}
    with dated.gradebook() as gradebook:
        of = gradebook.find_submission(ASSIGNMENT, "ada")
        assert of.assignment.duedate == datetime.datetime(2026, 10, 12, 21, 59, 59)
        assert of.extension == datetime.timedelta(days=3)


def test_report_and_tables_show_who_was_late(dated):
    status, said = command("report", ASSIGNMENT)
    assert status == 0
    assert "Each day that has begun costs 10% of the points earned, at most 50%." in said
    assert "When it was handed in is not known of eve: counted as in time." in said
    assert "would be other ones" not in said
    path = dated.folder / "reports" / f"{ASSIGNMENT}_exercises.csv"
    rows = {row["id"]: row for row in csv.DictReader(path.read_text().splitlines())}
    assert (rows["cyd"]["late penalty"], rows["cyd"]["score"]) == ("2", "8")
    assert rows["cyd"]["status"] == "graded, 1 day late"
    assert rows["ada"]["status"] == "graded"
    page = (dated.folder / "reports" / f"{ASSIGNMENT}.html").read_text()
    assert "<td>2026-10-15 23:59 CEST, extended</td><td>2026-10-14 22:00 CEST</td>" in page
    assert "Each day that has begun costs 10%" in page


def test_feedback_tells_when_it_was_due_and_what_it_costs(dated):
    dated.nbgrader("generate_feedback", ASSIGNMENT, "--student", "cyd", "--force")
    page = dated.feedback("cyd")
    assert "8 of 20\npoints" in page
    assert "Handed in late: 2 points less." in page
    assert (
        "It was due 2026-10-12 23:59 CEST, and came 2026-10-14 00:00 CEST, 1 day later. "
        "Each day that has begun costs 10%"
    ) in page.replace("&nbsp;", " ")


def test_new_dates_are_written_all_at_once_and_shown(dated):
    (line,) = [line for line in LINES if line == "dates"]
    file = dated.folder / "due_dates.toml"
    try:
        file.write_text(
            EXAMPLE.replace("ada = 2026-10-15", "cyd = 2026-10-15\nnobody = 2026-11-01")
        )
        status, said = command(*line.split(), "--dry-run")
        assert status == 0
        assert "Nothing of this is written." in said
        assert penalties(dated)["cyd"] == 2
        assert "The penalties of ada, cyd would be other ones" in re.sub(
            r"\s+", " ", command("report", ASSIGNMENT)[1]
        )
        status, said = command(*line.split())
        assert "look at the spelling: nobody" in said
        assert re.search(r"ada +│ +0 +│ +2 ", said)
        assert penalties(dated) == {
            "ada": 2,
            "ben": 0,
            "cyd": 0,
            "Sean O'Brien": 1,
            "eve": 0,
            "fay": 5,
        }
        file.write_text(EXAMPLE + "\nben = soon")
        assert command(*line.split())[0] == 2
        assert penalties(dated)["cyd"] == 0
    finally:
        file.write_text(EXAMPLE)
        assert command(*line.split())[0] == 0
    with dated.gradebook() as gradebook:  # also of assignments that were not released yet
        assert gradebook.find_assignment("02_multi_head").duedate == datetime.datetime(
            2026, 10, 26, 17
        )


def test_points_by_hand_are_reduced_like_the_others(dated):
    with dated.gradebook() as gradebook:
        grade = gradebook.find_grade("why_root", "simple_attention", ASSIGNMENT, "cyd")
        before = copy.copy((grade.manual_score, grade.needs_manual_grade))
        grade.manual_score, grade.needs_manual_grade = 2.0, False
        gradebook.db.commit()
    assert "The penalty of cyd would be other ones" in command("report", ASSIGNMENT)[1]
    command("dates")
    assert penalties(dated)["cyd"] == 2.4
    with dated.gradebook() as gradebook:
        grade = gradebook.find_grade("why_root", "simple_attention", ASSIGNMENT, "cyd")
        grade.manual_score, grade.needs_manual_grade = before
        gradebook.db.commit()
    command("dates")


def test_nobody_is_graded_by_a_wrong_file(dated):
    file = dated.folder / "due_dates.toml"
    try:
        file.write_text("[due]\n01_simple_attention = soon")
        status, said = command("autograde", ASSIGNMENT, "--insecure", "--force", "--jobs", "1")
        assert (status, said.count("due_dates.toml, line 2: ")) == (2, 1)
    finally:
        file.write_text(EXAMPLE)


def test_nbgraders_own_step_finds_the_dates(dated):
    from nbgrader.converters import Autograde

    converter = Autograde(coursedir=course_here().coursedir, parent=course_here())
    (step,) = [s for s in converter.autograde_preprocessors if s.__name__ == "PenaltiesByDate"]
    assert step(parent=converter).dates.due[ASSIGNMENT]


# ---- Several attempts ---------------------------------------------------------------------------


@pytest.fixture
def attempted(course, monkeypatch):
    monkeypatch.chdir(course.folder)
    (course.folder / "due_dates.toml").write_text(EXAMPLE)

    def setting(text: str) -> Course:
        with open(course.folder / "nbgrader_config.py", "a") as stream:
            stream.write(f"\n{SETTINGS}\n{text}\n")
        return course

    return setting


EARLY, LATE = "2026-10-10 10:00:00 UTC", "2026-10-15 10:00:00 UTC"  # three days begun: 30 % less


def test_the_last_attempt_counts_unless_told_otherwise(attempted, source):
    course = attempted("")
    grade(course, source, ("ben", "2", EARLY))
    grade(course, source, ("ben", "1", EARLY.replace("10:00", "11:00")))
    assert course.points() == {"ben": 5}


def test_an_attempt_that_was_replaced_can_come_back(attempted, source):
    course = attempted("")
    grade(course, source, ("ben", "2", EARLY))
    grade(course, source, ("ben", "1", EARLY.replace("10:00", "11:00")))
    attempted('c.Attempts.counts = "best"')
    grade(course, source, ("ben", "2", EARLY))
    assert course.points() == {"ben": 10}


def test_the_best_attempt_counts_less_what_being_late_costs(attempted, source):
    course = attempted('c.Attempts.counts = "best"')
    students = ("worse", "better", "too late", "equal")
    grade(course, source, *((s, "2", EARLY) for s in students))
    again = grade(
        course, source, ("worse", "1", EARLY.replace("10:00", "11:00")), ("better", "3", LATE),
        ("too late", "2.5", LATE), ("equal", "2", EARLY.replace("10:00", "11:00")),
    )  # fmt: skip
    assert {c.student: c.kept for c in again.again} == {
        "worse": True, "better": False, "too late": True, "equal": False,
    }  # fmt: skip
    # 12.5 points less 30 % are fewer than 10; 15 less 30 % are more
    assert course.points() == {"worse": 10, "better": 15, "too late": 10, "equal": 10}
    assert penalties(course) == {"worse": 0, "better": 4.5, "too late": 0, "equal": 0}
    third = grade(course, source, ("worse", "1", EARLY.replace("10:00", "11:00")))
    assert (third.skipped, third.graded) == (1, 0)  # it was looked at, though it does not count
    with Gradebook(f"sqlite:///{course.folder}/gradebook.db") as gradebook:
        from grading.course import attempts

        found = attempts.read(gradebook.engine, student="worse")
    assert [(a.points, a.mistakes) for a in found] == [
        (10, {"padded_heads": ["no_scale"]}), (5, {"padded_heads": ["no_scale"]}),
    ]  # fmt: skip


# ---- The syllabus -------------------------------------------------------------------------------


def test_the_page_has_the_syllabus():
    assert syllabus.table() in PAGE


def test_the_syllabus_has_each_assignment_once_and_in_order():
    due = [name for week in syllabus.WEEKS for name, _ in week.due]
    assert due == sorted(set(due))
    assert set(due) >= set(assignments())
    assert len(syllabus.WEEKS) == 10


def test_dates_are_made_of_it_by_the_pages_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (line,) = [line for line in LINES if line.startswith("dates --start")]
    status, said = command(*line.split())
    assert status == 0, said
    dates = due_dates(tmp_path, set(assignments()))
    assert dates.shown(dates.due[ASSIGNMENT]) == "2026-10-18 23:59 CEST"
    assert dates.shown(dates.due["04_normalization"]) == "2026-11-04 23:59 CET"
    before = (tmp_path / "due_dates.toml").read_text()
    status, said = command(*line.split())
    assert (status, "is there already" in said) == (2, True)
    assert (tmp_path / "due_dates.toml").read_text() == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--start", "2026-10-13"], "2026-10-13 is a Tuesday, expected the Monday of week 1."),
        (["--start", "9999-12-27"], "is too late for ten weeks."),
        (["--start", "2026-10-12", "--zone", "../passwd"], "'../passwd' is no time zone."),
    ],
)
def test_a_wrong_start_writes_nothing(tmp_path, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    status, said = command("dates", *options)
    assert status == 2
    assert sentence in said
    assert list(tmp_path.iterdir()) == []
