"""The course over time, of hand-made attempts; and the lines of the page on a graded course."""

import datetime
import re
from html.parser import HTMLParser

import pytest

from grading.content import assignments
from grading.course.attempts import Attempt
from grading.reporting import dashboard, themes
from grading.reporting.dashboard import Column, report_of, without_names

from .conftest import ASSIGNMENT, ROOT
from .test_deadlines import EARLY, command, grade

PAGE = (ROOT / "chapters/instructors.md").read_text()
LINES = re.findall(r"^python -m grading (report --all.*)$", PAGE, re.MULTILINE)
FIRST, SECOND = "01_simple_attention", "02_multi_head"


def attempt(assignment, student, day, mistakes, solved=()):
    time = datetime.datetime(2026, 10, day)
    return Attempt(assignment, student, f"{day}", 1, 2, time, time, mistakes, set(solved))


def column(name, **shares):
    return Column(name, due="2026-10-12 23:59 CEST", shares=shares)


@pytest.fixture
def found():
    """Ada forgets the scale twice; Ben forgets it once, then once more, and then he does not."""
    columns = [column(FIRST, ada=0.5, ben=1.0, cyd=0.2), column(SECOND, ada=0.9, ben=0.9)]
    attempts = [
        attempt(FIRST, "ada", 1, {"weights_time_first": ["no_scale"]}),
        attempt(SECOND, "ada", 8, {"packed_attention": ["scale_hidden + causal"]}),
        attempt(FIRST, "ben", 3, {"weights_time_first": [], "padded_heads": []},
                ["weights_time_first", "padded_heads"]),
        attempt(FIRST, "ben", 1, {"weights_time_first": ["no_scale"], "padded_heads": []}),
        attempt(SECOND, "ben", 8, {"packed_attention": []}, ["packed_attention"]),
        attempt(FIRST, "cyd", 1, {"merge_halves": ["exchanged_results"]}),
    ]  # fmt: skip
    return report_of(["ada", "ben", "cyd", "dan<b>"], columns, attempts)


def test_who_falls_behind_is_listed_with_the_reason(found):
    assert {each.student: each.reasons for each in found.behind} == {
        "dan<b>": ["not handed in: 1, 2"],
        "cyd": ["not handed in: 2", "the last at 20%"],
    }
    assert found.behind[0].student == "dan<b>"


def test_who_has_more_time_is_not_missing():
    late = column(SECOND, ada=1.0)
    late.excused = {"ben"}
    still = column("03_feed_forward", ada=1.0)
    still.over = False
    found = report_of(["ada", "ben"], [column(FIRST, ada=1.0, ben=1.0), late, still], [])
    assert found.behind == []


def test_who_left_one_out_long_ago_does_not_fall_behind():
    columns = [column(f"0{n}_x", ada=0.9, ben=0.9) for n in range(1, 5)]
    del columns[0].shares["ada"], columns[2].shares["ben"]
    (one,) = report_of(["ada", "ben"], columns, []).behind
    assert (one.student, one.reasons) == ("ben", ["not handed in: 3"])


def test_a_fall_is_seen():
    columns = [column(f"0{n}_x", ada=s, ben=0.7) for n, s in enumerate([1, 1, 0.6, 0.5], 1)]
    (one,) = report_of(["ada", "ben"], columns, []).behind
    assert (one.student, one.reasons) == ("ada", ["fell from 100%"])


def test_a_misconception_that_persists_is_found_under_other_names(found):
    rows = {row.theme.title: row for row in found.persisting}
    scale = rows["By what the scores are divided"]
    assert scale.showed == {FIRST: {"ada", "ben"}, SECOND: {"ada"}}
    assert scale.could == {FIRST: 2, SECOND: 2}  # Cyd attempted nothing with a scale
    assert scale.students == ["ada"]
    assert scale.sections[0].title == "Step 2: divide by √d_k"
    assert rows["A causal mask where none is asked for"].students == []
    assert found.persisting[0] is scale


def test_an_exercise_that_teaches_is_wrong_first_and_right_later(found):
    rows = {row.exercise: row for row in found.teaching}
    assert set(rows) == {"weights_time_first", "padded_heads"}
    first = rows["weights_time_first"]
    assert (first.wrong, first.right, first.named, first.gone) == (1, 1, 1, 1)
    unnamed = rows["padded_heads"]
    assert (unnamed.wrong, unnamed.right, unnamed.named, unnamed.gone) == (1, 1, 0, 0)
    assert found.again == 1


def test_a_mistake_that_stays_and_one_that_was_deleted_are_not_gone():
    wrong = {"weights_time_first": ["no_scale"]}
    attempts = [
        attempt(FIRST, "ada", 1, wrong), attempt(FIRST, "ada", 2, wrong),
        attempt(FIRST, "ben", 1, wrong), attempt(FIRST, "ben", 2, {}),  # not attempted any more
    ]  # fmt: skip
    (row,) = report_of(["ada", "ben"], [column(FIRST, ada=0, ben=0)], attempts).teaching
    assert (row.wrong, row.right, row.named, row.gone) == (2, 0, 2, 0)


def test_what_is_not_known_is_counted(found):
    # of the wrong answers in last submissions, Cyd's mistake belongs to its exercise, or a theme
    assert (found.wrong, found.unnamed, found.themeless) == (3, 0, 1)


def test_an_error_that_all_cases_share_is_no_mistake_with_a_name():
    wrong = {"merge_halves": ["the same error everywhere"]}
    attempts = [attempt(FIRST, "ada", day, wrong) for day in (1, 2)]
    found = report_of(["ada"], [column(FIRST, ada=0)], attempts)
    assert (found.wrong, found.unnamed, found.themeless) == (1, 1, 0)
    assert [(row.wrong, row.named) for row in found.teaching] == [(1, 0)]


class _Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src")]


def test_the_page_runs_nothing_and_links_to_sections(found):
    page = dashboard.page(found, "https://book.example/")
    tags = _Tags(page)
    assert not {"script", "img", "b", "iframe"} & set(tags.tags)
    assert "dan&lt;b&gt;" in page
    assert "default-src 'none'" in page
    address = "https://book.example/chapters/01_simple_attention.html#step-2-divide-by-d-k"
    assert address in tags.links
    assert _Tags(dashboard.page(found)).links == []


def test_a_page_without_names_has_none(found):
    page = dashboard.page(without_names(found))
    assert "student 1" in page
    for name in ("ada", "ben", "cyd", "dan"):
        assert not re.search(rf"\b{name}\b", page)
    plain = dashboard.as_json(without_names(found))
    assert plain["behind"][0]["student"] == "student 1"


def test_each_sign_of_a_theme_is_a_mistake_and_each_theme_outlives_an_assignment():
    mistakes = {(a, m.id) for a, es in assignments().items() for e in es for m in e.mistakes}
    for theme in themes.THEMES:
        assert len(themes.exercises_with(theme)) > 1, theme.title
        for name, numbers in theme.places.items():
            where = {a[:2] for a, m in mistakes if m == name}
            assert where >= set(numbers), (theme.title, name)
            assert where, (theme.title, name)


def test_every_section_of_a_mistake_has_an_address():
    for name, exercises in assignments().items():
        for exercise in exercises:
            for section in {exercise.section, *(m.section for m in exercise.mistakes)} - {""}:
                found = list(themes.places(section))
                assert [place.title for place in found] == re.findall("“(.*?)”", section)
                assert all(f"/{name[:2]}_" in place.address for place in found)


def test_the_lines_of_the_page_write_one(course, source, monkeypatch):
    monkeypatch.chdir(course.folder)
    assert command("report", "--all")[0] == 2
    grade(course, source, ("ada", "1", EARLY), ("ben", "0.5", EARLY))
    grade(course, source, ("ada", "2", EARLY.replace("10:00", "12:00")))
    for line in LINES:
        status, said = command(*line.split())
        assert status == 0, said
    page = (course.folder / "reports" / "course.html").read_text()
    assert "2 students, 1 assignment graded, 2 submissions. 1 student handed in more" in page
    assert "By what the scores are divided" in page
    assert ">ben<" in page
    assert ">ben<" not in (course.folder / "reports" / "course_anonymous.html").read_text()
    assert command("report", ASSIGNMENT, "--all")[0] == 2
