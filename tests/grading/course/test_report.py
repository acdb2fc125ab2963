"""The class at a glance: a table, a page, and files that other systems import."""

import copy
import csv
import json
import xml.etree.ElementTree as ElementTree

import pytest

from grading.reporting import class_report

from .conftest import ASSIGNMENT, WRONG_SCALE, cell

HOSTILE = "=cmd()<script>alert(1)</script>"


@pytest.fixture(scope="module")
def reported(new_course, solved):
    """A graded class of six, one of whom has not handed in, and what the command prints."""
    course = new_course()
    for student in ("ada", "ben", "cyd", "dan", "eve"):
        notebook = copy.deepcopy(solved)
        if student in ("ben", "cyd"):
            cell(notebook, "weights_time_first-answer").source = WRONG_SCALE
        if student == "dan":
            cell(notebook, "padded_heads-answer").source = "raise NotImplementedError"
        course.hand_in(student, notebook)
    with course.gradebook() as gradebook:
        gradebook.update_or_create_student("fay", first_name=HOSTILE, email="fay@school.example")
    assert course.autograde().returncode == 0
    return course, course.run("grading", "report", ASSIGNMENT)


def file(course, suffix):
    return (course.folder / "reports" / f"{ASSIGNMENT}{suffix}").read_text(encoding="utf-8")


def test_the_table_shows_points_mistakes_and_who_is_missing(reported):
    _, done = reported
    assert done.returncode == 0, done.stderr
    assert "5 of 6 students handed in." in done.stdout
    assert "Not handed in: fay" in done.stdout
    assert "too hard" not in done.stdout.split("padded_heads")[0]
    line = next(line for line in done.stdout.splitlines() if "without dividing" in line)
    assert line.split("│")[1].strip() == "2"
    assert "wait for answers to be graded by hand" in done.stdout


def test_the_numbers_are_those_of_the_gradebook(reported):
    course, _ = reported
    found = json.loads(course.ours("report", ASSIGNMENT, "--json").stdout)
    (first,) = (e for e in found["exercises"] if e["exercise"] == "weights_time_first")
    assert (first["attempts"], first["solved"], first["mean"]) == (5, 0.6, 1.8)
    assert first["mistakes"] == {"no_scale": 2}
    scores = {s["id"]: s["score"] for s in found["students"]}
    points = course.points()
    assert scores == {**points, "fay": None}
    assert found["not_submitted"] == ["fay"]


def test_the_page_needs_nothing_and_runs_nothing(reported):
    course, _ = reported
    page = file(course, ".html")
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/", "")
    assert "default-src 'none'" in page
    assert page.count("<svg") == 2
    for part in page.split("<figure>")[1:]:
        svg = part[: part.index("</svg>") + 6]
        root = ElementTree.fromstring(svg)
        assert len(root.get("aria-label").split()) > 5
    assert "These are the numbers you get without dividing" in page


def test_canvas_gets_its_columns_and_no_formula(reported):
    course, _ = reported
    head, possible, *rows = csv.reader(file(course, "_canvas.csv").splitlines())
    assert head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert possible[0].strip() == "Points Possible"
    assert float(possible[5]) == 20
    scores = {row[2]: row[5] for row in rows}
    assert scores["fay"] == ""
    assert float(scores["ada"]) == course.points()["ada"]
    assert all(cell[:1] not in ("=", "+", "@") for row in rows for cell in row)


def test_moodle_gets_an_identifier_and_a_score(reported):
    course, _ = reported
    head, *rows = csv.reader(file(course, "_moodle.csv").splitlines())
    assert head[:2] == ["ID number", "Email address"]
    assert ["fay", "fay@school.example", "-"] in rows
    assert dict((row[0], row[2]) for row in rows)["eve"] == "18"


def test_without_grades_it_says_what_to_run(course):
    done = course.ours("report", ASSIGNMENT)
    assert done.returncode == 2
    assert "python -m grading autograde" in done.stderr + done.stdout


def test_few_attempts_are_called_neither_hard_nor_easy():
    from grading.content import exercises_of

    each = class_report.ExerciseReport(exercises_of(ASSIGNMENT)[0], points=[0.0] * 4)
    assert each.verdict == ""
    assert class_report.ExerciseReport(each.exercise, points=[0.0] * 5).verdict == "too hard"
    assert class_report.ExerciseReport(each.exercise, points=[3.0] * 5).verdict == "too easy"


def test_two_mistakes_at_once_have_both_sentences():
    from grading.content import exercises_of

    each = class_report.ExerciseReport(exercises_of(ASSIGNMENT)[0])
    assert each.message("no_scale + sign").count(" And: ") == 1
