"""The page on the course over time: no barrier, in both schemes, on a phone and on a laptop."""

import datetime

import pytest
from axe_playwright_python.sync_playwright import Axe

from grading.course.attempts import Attempt
from grading.reporting import dashboard
from grading.reporting.dashboard import Column, report_of


@pytest.fixture(scope="module")
def page_of_a_class(tmp_path_factory):
    names = ("01_simple_attention", "02_multi_head", "03_feed_forward", "04_normalization")
    columns = [Column(name, "2026-10-12 23:59 CEST", shares={"ada": 0.4}) for name in names]
    wrong = {"weights_time_first": ["no_scale"], "packed_attention": ["no_scale"]}
    attempts = [
        Attempt(name, "ada", str(day), 1, 2, None, datetime.datetime(2026, 10, day), wrong, solved)
        for name in names
        for day, solved in ((1, set()), (2, {"weights_time_first"}))
    ]
    path = tmp_path_factory.mktemp("reports") / "course.html"
    report = report_of(["ada", "ben"], columns, attempts)
    path.write_text(dashboard.page(report, "https://book.example"), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [390, 1366])
def test_the_page_on_the_course_has_no_barrier(opened, page_of_a_class, width):
    visit = opened(page_of_a_class, width=width)
    assert visit.requests == [page_of_a_class]
    grounds = set()
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        result = Axe().run(visit.page).response
        assert {rule["id"] for rule in result["passes"]} >= {"color-contrast", "link-name"}
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in result["violations"]] == []
        grounds.add(visit.page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    assert len(grounds) == 2
