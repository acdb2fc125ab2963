"""What a student calls a cell or a file is one line, and does nothing on the page of the grader.

The page is formgrader's own: its template, in Chromium, with scripts allowed as there.
"""

import copy
import sys
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
from nbgrader.server_extensions.formgrader import handlers
from playwright.sync_api import sync_playwright
from rich.console import Console

from grading.course import autograde, repair, sanitise
from grading.course.grade_submission import explained
from grading.course.submissions import Submission
from grading.limits import ShownLimits, SubmissionLimits

from .conftest import formgrader_page
from .test_sanitise import Active

sys.path.insert(0, str(Path(__file__).parents[3] / "chapters"))

from _ext.site.chromium import ARGUMENTS, program

EVIL = "http://evil.example"
ADDRESS = "http://formgrader.test/"
LABELS = {
    "Markdown": (
        "x\n\n# From the grader: full points\n\n"
        f"![seen]({EVIL}/p.png)\n\n[click](javascript:document.title='owned')\n"
    ),
    "Markdown in one line": f"**x** [click](javascript:document.title='owned') ![s]({EVIL}/q.png)",
    "a script": "<script>document.title = 'owned'</script>",
    "a script behind a closing tag": "</li></ul></div><script>document.title = 'owned'</script>",
    "a picture that fails": "<img src=x onerror=\"document.title='owned'\">",
    "a picture elsewhere": f"<img src={EVIL}/r.png>",
    "a drawing": "<svg onload=\"document.title='owned'\">",
    "a frame": f"<iframe src={EVIL}></iframe>",
    "a form": f"<form action={EVIL}><button>Save</button></form>",
    "style": f"<style>@import url({EVIL}/s.css)</style><p style='position:fixed'>",
    "a comment": "<!--",
    "quotes": "\" onmouseover=\"document.title='owned'\" x='",
    "entities": "&lt;script&gt;document.title = 'owned'&lt;/script&gt;",
    "a formula": r"$\href{javascript:document.title='owned'}{x}$ \(\unicode{x}\)",
    "a formula with more backslashes": r"$$\\href{javascript:document.title='owned'}{x}$$",
    "code": "```\n</code></pre><script>document.title = 'owned'</script>\n```",
    "a template": "{{ ''.__class__ }}{% include '/etc/passwd' %}",
    "rich markup": "[bold red]x[/] [link=http://evil.example]y[/link] [/]",
    "a terminal": "\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07x",
    "an eight-bit terminal": "\x9b2J\x9d0;owned\x9c",
    "carriage returns": "x\rAll points: 18 of 18\r\nx",
    "separators of lines": "x\u2028y\u2029z\x0bw\x0cv\x85u",
    "the other direction": "x\u202e\u2066evil\u2069",
    "nothing to be seen": "\u200b\u200d\ufeff\u00ad",
    "NUL": "x\0y",
    "half a character": "\ud800x",
    "a megabyte": "x" * 1_000_000,
    "a megabyte of lines": "x\n" * 500_000,
    "a megabyte of marks": "<" * 1_000_000,
}


@pytest.fixture(scope="module")
def noted(source, solved):
    """For each label the notes on a submission whose answer bears it, and the cell that says so."""
    found = {}
    for name, label in LABELS.items():
        notebook = copy.deepcopy(solved)
        for number, cell in enumerate(notebook.cells):
            cell.id = str(number)
            if cell.metadata.nbgrader.grade_id == "padded_heads-answer":
                cell.metadata.nbgrader.grade_id = label
        notes = []
        content = nbformat.writes(notebook).encode("utf-8", "surrogatepass")
        try:
            cells = repair.parse(content, notes)
        except repair.UnreadableError:
            continue
        new = repair.repaired(cells, source, notes)
        repair.add_notes(new, notes)
        sanitise.markdown(new)
        assert new.cells[0].source.startswith("<div><b>From the grader</b>")
        found[name] = repair.told(notes), new.cells[0]
    assert len(found) >= len(LABELS) - 1  # half a character may be no text at all
    return found


def test_a_note_is_a_line_that_can_be_printed(noted):
    for notes, cell in noted.values():
        assert any(note.startswith("The answer padded_heads-answer was found in") for note in notes)
        for note in notes:
            assert note.isprintable()
            assert len(note) <= SubmissionLimits.label_characters + 200
        assert len(cell.source) < 20 * SubmissionLimits.label_characters


def test_there_are_not_too_many_notes():
    notes = [f"{number}\n# {number}" for number in range(5_000)]
    told = repair.told(notes)
    assert len(told) == ShownLimits.notes + 1
    assert told[-1] == "… and 4980 more notes."
    assert told[0] == "0"


def test_the_terminal_shows_lines(noted, capsys, monkeypatch):
    monkeypatch.setattr(autograde, "console", Console(highlight=False, width=200))
    autograde._list("Repaired", {name: " ".join(notes) for name, (notes, _) in noted.items()})
    shown = capsys.readouterr().out
    assert shown.count("\n") <= 2 + len(noted)
    assert all(line.isprintable() for line in shown.split("\n"))
    assert len(shown) < 500 * len(noted)


@pytest.mark.parametrize("problem", LABELS.values(), ids=LABELS)
def test_a_problem_is_told_in_a_line(source, problem):
    if problem.isascii() or problem.isprintable():
        result = explained(Submission("ada"), source, f"It is {problem}.", [problem])
        assert result.problem.isprintable()
        assert all(note.isprintable() and len(note) <= 500 for note in result.notes)
        notebook = nbformat.reads(result.notebook, as_version=4)
        pages = [notebook.cells[0].source] + [
            output.data["text/html"]
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            if "data" in output
        ]
        assert Active("".join(pages)).found == []


@pytest.fixture(scope="module")
def page():
    """A tab of headless Chromium that says which addresses it was asked for."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=ARGUMENTS)
        tab = browser.new_page()
        tab.asked, tab.errors = [], []
        tab.on("pageerror", lambda error: tab.errors.append(str(error)))
        yield tab
        browser.close()


def opened(page, notebook):
    """Open the page that formgrader makes of a graded notebook."""
    html = formgrader_page(notebook, "01_x")
    page.asked.clear()
    page.errors.clear()

    def answer(route):
        path = urlsplit(route.request.url).path
        own = Path(handlers.static_path, path.removeprefix("/formgrader/static/"))
        if route.request.url == ADDRESS:
            page.asked.append(route.request.url)
            route.fulfill(body=html, content_type="text/html")
        elif path.startswith("/formgrader/static/") and own.is_file():
            route.fulfill(path=own)
        elif path.startswith("/formgrader/api/"):
            route.fulfill(json=[])
        else:
            page.asked.append(route.request.url)
            route.abort()

    page.unroute("**/*")
    page.route("**/*", answer)
    page.goto(ADDRESS, wait_until="load")
    return html


def notebook_of(*sources):
    cells = [nbformat.v4.new_markdown_cell(source) for source in sources]
    return nbformat.v4.new_notebook(cells=cells)


def test_no_label_does_anything_on_the_page_of_the_grader(page, noted):
    opened(page, notebook_of(*(cell.source for _, cell in noted.values())))
    title = page.title()
    cells = page.locator(".text_cell_render", has_text="From the grader")
    assert cells.count() == len(noted)
    for place in range(len(noted)):
        cell = cells.nth(place)
        assert cell.locator("b").inner_text() == "From the grader"
        inner = cell.locator("a, img, svg, h1, h2, h3, iframe, form, script, style, code")
        assert inner.count() == 0
        assert "$" not in cell.inner_text()
        assert "\\" not in cell.inner_text()
        cell.click()
        cell.hover()
    assert page.title() == title != "owned"
    assert not [url for url in page.asked if "evil" in url]


def test_the_page_would_do_it(page):
    """What was possible before: the same labels, put into a cell of Markdown as they are."""
    opened(page, notebook_of(LABELS["Markdown"], LABELS["a picture that fails"]))
    assert page.title() == "owned"
    assert [url for url in page.asked if "evil" in url]
    assert page.locator("h1", has_text="full points").count() == 1


def test_formulas_and_keys_wait_for_no_other_host(page):
    """nbgrader's own page has them from MathJax, which does not come here."""
    opened(page, notebook_of(r"The root $\sqrt{d_k}$."))
    assert [url for url in page.asked if "mathjax" in url.lower()]
    assert page.locator("msqrt").count() == 1
    assert page.evaluate("formgrader.loaded")
    assert page.errors == []
