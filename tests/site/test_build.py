"""How the book is built: what stops it, what makes a notebook run again, what a page may hold."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import torch
import yaml
from bertviz import head_view, model_view
from offline import rewrite_bertviz
from pages import ROOT, missing, pages

JUPYTER_BOOK = [str(Path(sys.executable).with_name("jupyter-book")), "build"]


@pytest.fixture
def small_book(tmp_path):
    """A book of one page and one notebook, with this course's own settings and extensions."""
    chapters = tmp_path / "chapters"
    chapters.mkdir()
    for folder in ("_ext", "_static"):
        shutil.copytree(ROOT / "chapters" / folder, chapters / folder)
    shutil.copy(ROOT / "_config.yml", tmp_path)
    contents = {"format": "jb-book", "root": "chapters/index"}
    contents["chapters"] = [{"file": "chapters/notebook"}]
    (tmp_path / "_toc.yml").write_text(yaml.safe_dump(contents))
    (chapters / "references.bib").touch()
    (chapters / "index.md").write_text("# A book\n\n## A part\n\nSee [the notebook](notebook).\n")
    (chapters / "helper.py").write_text("ANSWER = 'forty-two'\n")
    write_notebook(tmp_path, "from helper import ANSWER\nprint('the answer is', ANSWER)")
    return tmp_path


def write_notebook(book, code):
    cells = [
        nbformat.v4.new_markdown_cell("# A notebook\n\n## A part"),
        nbformat.v4.new_code_cell(code),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), book / "chapters" / "notebook.ipynb")


def build(book):
    """Build as the Makefile does."""
    options = re.search(r"jupyter-book build (.*)", (ROOT / "Makefile").read_text())[1].split()
    return subprocess.run(
        [*JUPYTER_BOOK, *options],
        cwd=book,
        env={**os.environ, "JOBS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def notebook_page(book):
    return (book / "_build" / "html" / "chapters" / "notebook.html").read_text(encoding="utf-8")


def test_notebook_runs_again_after_a_change_in_a_module_that_it_imports(small_book):
    first = build(small_book)
    assert first.returncode == 0, first.stderr
    assert "the answer is forty-two" in notebook_page(small_book)
    (small_book / "chapters" / "helper.py").write_text("ANSWER = 'forty-three'\n")
    assert build(small_book).returncode == 0
    assert "the answer is forty-three" in notebook_page(small_book)


def test_failing_cell_fails_the_build(small_book):
    write_notebook(small_book, "1 / 0")
    result = build(small_book)
    assert result.returncode != 0
    assert "ZeroDivisionError" in result.stdout + result.stderr


def test_warnings_and_broken_references_fail_the_build_and_are_all_reported(small_book):
    write_notebook(small_book, "import warnings\nwarnings.warn('this will change')")
    broken = "[](no-such-page.md), {ref}`no-such-label`, {cite}`nobody1900nothing`, [](#no-anchor)"
    (small_book / "chapters" / "index.md").write_text(f"# A book\n\n## A part\n\n{broken}\n")
    result = build(small_book)
    assert result.returncode != 0
    for name in ("stderr was found", "no-such-page", "no-such-label", "nobody1900", "no-anchor"):
        assert name in result.stdout + result.stderr


def test_page_without_html_is_missed(tmp_path):
    (tmp_path / "index.html").touch()
    assert missing(tmp_path) == [f"{page}.html" for page in pages()]


def test_contents_name_the_first_page_first_and_every_file_once(tmp_path):
    toc = tmp_path / "_toc.yml"
    toc.write_text(
        "format: jb-book\nroot: index\nparts:\n- chapters:\n  - file: one.ipynb\n"
        "    sections:\n    - file: one/more.md\n- chapters:\n  - file: two\n"
    )
    assert pages(toc) == ["index", "one", "one/more", "two"]


class TestBertvizOutput:
    @pytest.fixture(params=[head_view, model_view])
    def output(self, request):
        torch.manual_seed(0)
        attention = tuple(torch.rand(1, 2, 3, 3).softmax(-1) for _ in range(2))
        view = request.param(attention, ["time", "flies", "fast"], html_action="return")
        return view.data

    def test_asks_no_other_host_any_more(self, output):
        assert "https://cdnjs" in output
        assert "cdnjs" not in rewrite_bertviz(output)

    def test_keeps_its_data_once_and_to_four_digits(self, output):
        before, after = output, rewrite_bertviz(output)
        assert before.count('"root_div_id"') == 2
        assert after.count('"root_div_id"') == 1
        full, short = self.data(before), self.data(after)
        assert full.keys() == short.keys()
        weights = [torch.tensor(each["attention"][0]["attn"]) for each in (full, short)]
        assert (weights[0] - weights[1]).abs().max() <= 0.5e-4
        assert len(after) < len(before)

    def test_names_its_menus(self):
        view = head_view((torch.ones(1, 1, 2, 2),), ["a", "b"], html_action="return")
        assert '<select id="layer" aria-label="Layer">' in rewrite_bertviz(view.data)

    @staticmethod
    def data(html):
        return json.JSONDecoder().raw_decode(html.split("const params = ")[1])[0]
