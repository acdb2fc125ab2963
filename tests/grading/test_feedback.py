"""Formulas in pages of feedback: drawn without a script, and never more than text."""

import re
import time
from xml.etree import ElementTree

import nbformat
import pytest
from nbgrader.coursedir import CourseDirectory

from grading.content.release import EXERCISES_FOLDER
from grading.limits import ShownLimits
from grading.reporting.feedback import FeedbackPage, ReleaseToThoseWithASecret, formula

MATHML = "{http://www.w3.org/1998/Math/MathML}"
NOTEBOOKS = sorted(EXERCISES_FOLDER.glob("*/*.ipynb"))


def page(*markdown: str) -> str:
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_markdown_cell, markdown)))
    return FeedbackPage(template_name="classic").from_notebook_node(notebook)[0]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_formula_of_an_assignment_is_drawn(path):
    cells = [c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "markdown"]
    prose = [re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL) for text in cells]
    formulas = sum(len(re.findall(r"\$\$.+?\$\$|\$[^$]+\$", t, re.DOTALL)) for t in prose)
    body = page(*cells).partition("</head>")[2]
    assert body.count("<math ") == formulas
    assert "$" not in re.sub(r"<(pre|code)\b.*?</\1>", "", body, flags=re.DOTALL)


def test_a_page_runs_nothing_and_loads_nothing():
    made = page("$x$")
    assert "<script" not in made
    assert "default-src 'none'" in made.partition("<style")[0]


def test_code_is_coloured_for_a_bounded_time_and_stays_as_text(monkeypatch):
    monkeypatch.setattr(ShownLimits, "colours_seconds", 0.3)
    slow = "first = 1\n" + " \n" * 30_000 + "last = 1"
    sources = ["import a", slow, slow, "import <b>"]
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, sources)))
    begin = time.process_time()
    made = FeedbackPage(template_name="classic").from_notebook_node(notebook)[0]
    assert time.process_time() - begin < 3
    assert made.count('<span class="kn">import</span>') == 1
    assert made.count("first = 1") == made.count("last = 1") == 2
    assert "import &lt;b&gt;" in made


def test_code_that_takes_long_costs_the_next_page_no_colours(monkeypatch):
    monkeypatch.setattr(ShownLimits, "colours_seconds", 0.3)
    exporter, coloured = FeedbackPage(template_name="classic"), []
    for source in ("import a", " \n" * 30_000, "import a"):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
        coloured.append('class="kn"' in exporter.from_notebook_node(notebook)[0])
    assert coloured == [True, False, True]


def test_a_formula_is_mathml():
    math = ElementTree.fromstring(formula(r"\frac{1}{\sqrt{d_k}}", "inline", ""))
    assert math.tag == f"{MATHML}math"
    assert [e.text for e in math.iter() if e.text] == ["1", "d", "k"]
    assert math.find(f".//{MATHML}mfrac//{MATHML}msqrt") is not None


@pytest.mark.parametrize(
    "tex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{&lt;img src=x onerror=alert(1)&gt;}",
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(x)}{x}",
        r"\class{a}{x}",
        r'\color{red" onload="alert(1)}x',
    ],
)
def test_what_a_formula_holds_stays_text(tex):
    math = ElementTree.fromstring(formula(tex, "inline", tex))
    for element in math.iter():
        assert element.tag.startswith(f"{MATHML}m")
        assert not set(element.attrib) & {"href", "style", "class", "id", "src", "onload"}


@pytest.mark.parametrize("tex", ["{" * 1000, r"\frac" * 300, "x^" * 900, "x" * 5_000])
def test_what_is_no_formula_stays_as_it_was_typed(tex):
    assert formula(tex, "inline", f"<${tex}$") == f"&lt;${tex}$"


def test_feedback_is_released_to_those_who_handed_in_through_the_exchange(tmp_path, caplog):
    coursedir = CourseDirectory(root=str(tmp_path), course_id="c", assignment_id="01_x")
    for student in ("ada", "ben", "cyd"):
        folder = tmp_path / "feedback" / student / "01_x"
        folder.mkdir(parents=True)
        (folder / "x.html").write_text(student)
        if student != "ben":  # whose notebook came by mail
            (folder / "timestamp.txt").write_text("2026-01-02 03:04:05 UTC")
            (folder / "submission_secret.txt").write_text(f"secret of {student}")
    exchange = ReleaseToThoseWithASecret(coursedir=coursedir, root=str(tmp_path / "exchange"))
    (tmp_path / "exchange").mkdir(mode=0o777)
    exchange.init_src()
    exchange.init_dest()
    exchange.copy_files()
    released = (tmp_path / "exchange/c/feedback").glob("*.html")
    assert sorted(path.read_text() for path in released) == ["ada", "cyd"]
    assert coursedir.student_id_exclude == ""
    assert "did not come through the exchange: ben." in caplog.text
