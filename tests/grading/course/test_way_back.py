"""From the platform and back: what is graded finds its student in tables and in feedback again.

A class of eight, by the lines that the page prints.
"""

import contextlib
import copy
import csv
import io
import os
import re
import zipfile

import nbformat
import pytest

from grading.commands import main
from grading.commands.output import console
from grading.course.identities import Origin, write_collected
from grading.platforms.tables import TableError, filled
from grading.reporting import regrade

from .conftest import ASSIGNMENT, NAME, ROOT, WRONG_SCALE, Course, cell, formgrader_page

PAGE = (ROOT / "chapters/instructors.md").read_text()
LINES = re.findall(r"^(nbgrader|python -m grading) (.*)$", PAGE, re.MULTILINE)
PATHS = {  # what was collected from the platforms
    "Sean O'Brien": Origin("Moodle", "7", "Sean O'Brien", "Sean O'Brien_7_assignsubmission_file_/"
                           f"{NAME}", email="sean@school.example"),
    "jm1": Origin("Moodle", "8", "Jane Müller", f"Jane Müller_8_assignsubmission_file_/{NAME}"),
    "muellerjane": Origin("Canvas", "900", "muellerjane", f"muellerjane_900_5_{NAME}"),
    "late": Origin("Canvas", "901", "late", f"late_LATE_901_6_{NAME[:-6]}-1.ipynb", late=True),
}  # fmt: skip


def page_line(course: Course, beginning: str, **others: str) -> tuple[int, str]:
    """Run the one line of the page that begins like this, ours in this process."""
    ((program, line),) = [found for found in LINES if found[1].startswith(beginning)]
    for one, other in others.items():
        line = line.replace(f"{one}.csv", other)
    if program == "nbgrader":
        done = course.run("nbgrader", *line.split())
        return done.returncode, done.stdout + done.stderr
    said, here = io.StringIO(), os.getcwd()
    os.chdir(course.folder)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return main(line.split()), said.getvalue()
    finally:
        os.chdir(here)


@pytest.fixture(scope="module")
def graded(new_course, solved) -> Course:
    course = new_course()
    for student in (*PATHS, "ada", "ben", "broken"):
        notebook = copy.deepcopy(solved)
        if student == "ben":
            cell(notebook, "weights_time_first-answer").source = WRONG_SCALE
            cell(notebook, "merge_halves-answer").source = FAILS
        course.hand_in(student, b"{" if student == "broken" else notebook)
    write_collected(course.folder, ASSIGNMENT, PATHS)
    with course.gradebook() as gradebook:
        gradebook.update_or_create_student("ada", first_name="Ada", last_name="Zet", email="a@x")
        gradebook.update_or_create_student("jm1", first_name="Jane", last_name="Müller")
        gradebook.update_or_create_student("absent", first_name="No", last_name="Body")
    assert course.autograde().returncode == 0
    with course.gradebook() as gradebook:  # a person has read two of the written answers
        for student in ("ada", "ben"):
            grade = gradebook.find_grade("why_root", "simple_attention", ASSIGNMENT, student)
            grade.manual_score, grade.needs_manual_grade = 1.5, False
        gradebook.db.commit()
    return course


FAILS = """
def merge_halves(output_a, lse_a, output_b, lse_b):
    total = lse_a + lse_b
    return total.view(7, 7, 7), total
"""


def table(course: Course, name: str) -> list[list[str]]:
    text = (course.folder / "reports" / f"{ASSIGNMENT}_{name}").read_text(encoding="utf-8")
    return list(csv.reader(text.splitlines()))


@pytest.fixture(scope="module")
def reported(graded) -> Course:
    canvas = [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{ASSIGNMENT} (77)", "other"],
        ["    Points Possible", "", "", "", "", "20.00", "9"],
        ["Müller, Jane", "900", "", "x1", "A", "", "5"],
        ["Late, Too", "901", "", "x2", "A", "", ""],
        ["Zet, Ada", "902", "ada", "x3", "A", "", ""],
        ["Unknown, One", "903", "", "x4", "A", "1", ""],
    ]
    worksheet = [
        ["Identifier", "Full name", "Email address", "Grade", "Maximum Grade"],
        ["Participant 7", "Sean O'Brien", "sean@school.example", "", "20,00"],
        ["Participant 8", "Jane Müller", "", "", "20,00"],
        ["Participant 9", "Jane Müller", "", "3,00", "20,00"],
    ]
    for name, rows in {"canvas_export.csv": canvas, "worksheet.csv": worksheet}.items():
        with open(graded.folder / name, "w", encoding="utf-8-sig", newline="") as stream:
            csv.writer(stream).writerows(rows)
    graded.said = page_line(
        graded, f"report {ASSIGNMENT} --fill", grades="canvas_export.csv --fill worksheet.csv"
    )
    return graded


def test_a_platforms_own_table_is_filled_in(reported):
    assert table(reported, "filled_canvas_export.csv") == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", f"{ASSIGNMENT} (77)"],
        ["    Points Possible", "", "", "", "", "20.00"],
        ["Müller, Jane", "900", "", "x1", "A", "18"],
        ["Late, Too", "901", "", "x2", "A", "18"],
        ["Zet, Ada", "902", "ada", "x3", "A", "19.5"],
        ["Unknown, One", "903", "", "x4", "A", "1"],
    ]
    assert [(row[0], row[3]) for row in table(reported, "filled_worksheet.csv")[1:]] == [
        ("Participant 7", "18"), ("Participant 8", "18"), ("Participant 9", "3,00"),
    ]  # fmt: skip


def test_who_has_no_row_and_what_is_not_final_is_said(reported):
    status, said = reported.said
    assert status == 1  # not everybody is in both tables
    assert "canvas_export.csv has no row for ben, broken, jm1, Sean O'Brien." in said
    assert "Not final: 4 wait for answers to be graded by a person" in said
    assert "nobody could read it, see above: broken." in said
    assert said.rindex("wrote ") < said.rindex("Not final")


def test_tables_for_import_hold_what_platforms_know(reported):
    canvas = {row[0]: row[1:4] for row in table(reported, "canvas.csv")[2:]}
    assert canvas["muellerjane"] == ["900", "", ""]
    assert canvas["Ada Zet"] == ["", "ada", "ada"]
    moodle = [row[:2] for row in table(reported, "moodle.csv")[1:]]
    assert ["", "sean@school.example"] in moodle
    assert ["ada", "a@x"] in moodle
    assert not any("O'Brien" in cell for row in moodle for cell in row)


def test_every_answer_has_a_column(reported):
    head, *rows = table(reported, "exercises.csv")
    assert head[3:9] == ["weights_time_first", "padded_heads", "merge_halves",
                         "repaired_attention", "telling_input", "why_root"]  # fmt: skip
    found = {row[0]: row[3:] for row in rows}
    assert found["ben"] == ["0", "5", "0", "3", "3", "1.5", "", "12.5", "20", "graded"]
    assert found["late"][5:] == ["", "", "18", "20", "waits for a person, late"]
    assert found["broken"][-1].startswith("could not be graded: The file is no notebook")
    assert found["absent"] == [*[""] * 8, "20", "not handed in"]
    assert [row[0] for row in rows][-1] == "ada"  # by last name


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([["a", "b"]], "is neither Canvas's exported gradebook nor Moodle's"),
        ([["Student", "ID", "x"]], f"has no columns for {ASSIGNMENT}, expected one"),
        ([["Student", "ID", ASSIGNMENT], ["Points Possible", "", "100"]],
         "has 100 as the most points"),
        ([["Identifier", "Grade", "Maximum Grade"], ["Participant 1", "", "100,00"]],
         "has 100,00 as the most points"),
    ],
)  # fmt: skip
def test_a_table_that_does_not_fit_is_refused_in_a_sentence(tmp_path, rows, sentence):
    path = tmp_path / "grades.csv"
    with open(path, "w", newline="") as stream:
        csv.writer(stream, delimiter=";").writerows(rows)
    with pytest.raises(TableError, match=re.escape(sentence)):
        filled(path, ASSIGNMENT, 20, [])


@pytest.fixture(scope="module")
def handed_back(graded) -> Course:
    graded.before = page_line(graded, f"feedback {ASSIGNMENT}")
    status, said = page_line(graded, "generate_feedback")
    assert status == 0, said
    graded.after = page_line(graded, f"feedback {ASSIGNMENT}")
    return graded


def test_feedback_goes_back_under_the_names_of_the_platforms(handed_back):
    status, said = handed_back.before
    assert status == 1
    assert "have no page: run `nbgrader generate_feedback" in said
    status, said = handed_back.after
    assert status == 0, said
    found = {}
    for path in (handed_back.folder / "reports").glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            found[path.name.removeprefix(f"{ASSIGNMENT}_")] = set(archive.namelist())
    assert found == {
        "feedback_canvas.zip": {
            "muellerjane_900_5_simple_attention.html",
            "late_LATE_901_6_simple_attention-1.html",
        },
        "feedback_moodle.zip": {
            "Sean O'Brien_7_assignsubmission_file_/simple_attention.html",
            "Jane Müller_8_assignsubmission_file_/simple_attention.html",
        },
        "feedback.zip": {"ada.html", "ben.html", "broken.html"},
    }


def test_feedback_does_not_call_0_what_nobody_has_graded(handed_back):
    waits = handed_back.feedback("late").partition("</head>")[2]
    assert "18 of 20\npoints" in waits
    assert "so far: 1\nanswer waits to be graded by a person" in waits
    assert waits.count("not graded yet, of 2") == 2
    done = handed_back.feedback("ben").partition("</head>")[2]
    assert "not graded yet" not in done
    assert "1.5 of 2 points" in done
    assert re.search(r'<a href="#why_root">6\. In your own words: why the root\?</a>', done)


def test_feedback_shows_the_line_that_failed_and_no_rubric(handed_back):
    page = handed_back.feedback("ben")
    assert "stopped in your code:" in page
    assert "line 3, in merge_halves:  return total.view(7, 7, 7), total" in page
    assert "Rubric" not in handed_back.feedback("late").replace(MODEL, "")


# What `solved` hands in is the source notebook, so its written answer is the model answer itself.
MODEL = "<strong>Rubric (2 points)</strong>"


def test_formgrader_shows_the_rubric_below_the_answer(graded, monkeypatch):
    monkeypatch.chdir(graded.folder)
    notebook = nbformat.read(graded.autograded("ben") / NAME, as_version=4)
    cell(notebook, "why_root").source = "Because."
    answer, _, rubric = formgrader_page(notebook).partition("students do not see this")
    assert "Because." in answer
    assert "Half a point without the assumption" in rubric
    assert "Half a point" not in answer


def test_copies_are_shown_and_the_model_answer_is_not_called_one(graded):
    status, said = page_line(graded, "similar")
    assert status == 0
    assert "padded_heads: 7 answers, 0 of them alike" in said
    assert "no proof" in said


def test_a_request_is_read_as_editors_write_it_and_shown_as_it_is_called(tmp_path):
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "ada.txt").write_text("exercise: why_root\r\nWhy?", encoding=encoding)
        request = regrade._read(tmp_path / "ada.txt", {"why_root"})
        assert (request.exercise, request.reason, request.problem) == ("why_root", "Why?", "")
    for name in (b"mal\nbob, why_root: answered\x1b[8m.txt", b"\xfc.txt"):
        path = tmp_path / os.fsdecode(name)
        path.touch()
        request = regrade._read(path, {"why_root"})
        assert request.student.isprintable()
        assert request.problem.isprintable()
        assert "cannot be used" in request.problem
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        console().print("look :warning: d[:key:]")
    assert said.getvalue() == "look :warning: d[:key:]\n"


def test_a_request_is_listed_with_verdict_cases_history_and_answer(graded):
    folder = graded.folder / "regrade" / ASSIGNMENT
    folder.mkdir(parents=True)
    ask = "It is [bold]right[/]\x1b[2J\u202e, see <script>alert(1)</script>."
    (folder / "ben.txt").write_text(f"Exercise: `merge_halves`\n{ask}")
    (folder / "jm1.txt").write_text("why_root\nI did say why.", encoding="utf-16")
    (folder / "ada.txt").write_text("padded_heads\n" + "please " * 5_000, encoding="utf-8-sig")
    (folder / "late.txt").write_text("everything\nWhy?")
    (folder / "nobody.txt").write_text("merge_halves\nHello.")
    (folder / "linked.txt").symlink_to(graded.folder / ".grading" / "secret")
    with graded.gradebook() as gradebook:
        where = "simple_attention", ASSIGNMENT, "ada"
        gradebook.find_comment("padded_heads-answer", *where).manual_comment = "It stays."
        gradebook.db.commit()
    status, said = page_line(graded, "regrade")
    assert status == 0
    assert "ben, merge_halves, 0 of 4 points: not answered" in said
    assert "reason: It is [bold]right[/], see <script>alert(1)</script>." in said
    assert "\x1b[2J" not in said
    assert "\u202e" not in said
    assert re.search(r"verdict: \d+ of \d+ cases are wrong. Every case ends with the same", said)
    assert re.search(r"cases: ✗ .* \| .* \| ", said)
    assert "history: attempt 1, at an unknown time: the same error everywhere" in said
    assert "late: not answered\n  problem: its first line names no exercise, expected" in said
    assert "nobody, merge_halves: not answered\n  problem: nothing of this student" in said
    assert (
        "jm1, why_root, not graded yet, of 2 points: not answered\n  reason: I did say why." in said
    )
    assert "linked: not answered\n  problem: 'linked.txt' cannot be read" in said
    assert (graded.folder / ".grading" / "secret").read_text().strip() not in said
    last = said[said.index("ada, padded_heads, 5 of 5 points: answered") :]
    assert "[The file goes on.]" in last
    assert last.endswith("answer: It stays.\n")
