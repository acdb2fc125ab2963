"""How the book is built: what stops it, what makes a notebook run again, what a page may hold."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
import torch
import yaml
from bertviz import head_view, model_view
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PIL import Image
from pybtex.database import Entry, Person
from sphinx.errors import SphinxError

from _ext.assets.self_contained import rewrite_bertviz
from _ext.interactive import background
from _ext.notebooks.forked_kernels import USED_BY_CHAPTERS
from _ext.pages.citations import KeptCitations
from _ext.site.contents import ROOT, missing, pages

ADDRESSES = ("BOOK_REPOSITORY", "BOOK_ADDRESS", "BOOK_REVISION", "JOBS")
MEETS = """
import time
from pathlib import Path

Path("{own}").touch()
for _ in range(600):
    if Path("{other}").exists():
        break
    time.sleep(0.1)
assert Path("{other}").exists(), "it ran alone"
print("they met")
"""
IN_TWO_PIECES = """
from helper import ANSWER
print("the answer is", end=" ", flush=True)
print(ANSWER)
"""
JUPYTER_BOOK = [str(Path(sys.executable).with_name("jupyter-book")), "build"]


@pytest.fixture
def small_book(tmp_path):
    """A book of one page and one notebook, with this course's own settings and extensions."""
    return write_book(tmp_path)


def write_book(book):
    chapters = book / "chapters"
    chapters.mkdir()
    for folder in ("_ext", "_static"):
        shutil.copytree(ROOT / "chapters" / folder, chapters / folder)
    kernels = chapters / "_ext" / "notebooks" / "forked_kernels.py"
    assert USED_BY_CHAPTERS in kernels.read_text()
    kernels.write_text(kernels.read_text().replace(USED_BY_CHAPTERS, ""))  # its notebooks use none
    shutil.copy(ROOT / "_config.yml", book)
    contents = {"format": "jb-book", "root": "chapters/index"}
    contents["chapters"] = [{"file": "chapters/notebook"}]
    (book / "_toc.yml").write_text(yaml.safe_dump(contents))
    (chapters / "references.bib").touch()
    (chapters / "index.md").write_text("# A book\n\n## A part\n\nSee [the notebook](notebook).\n")
    (chapters / "helper.py").write_text("ANSWER = 'forty-two'\n")
    write_notebook(book, IN_TWO_PIECES)
    return book


def write_notebook(book, code, name="notebook"):
    cells = [
        nbformat.v4.new_markdown_cell("# A notebook\n\n## A part"),
        nbformat.v4.new_code_cell(code),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), book / "chapters" / f"{name}.ipynb")


def add_notebook(book, code, name):
    write_notebook(book, code, name)
    contents = yaml.safe_load((book / "_toc.yml").read_text())
    contents["chapters"].append({"file": f"chapters/{name}"})
    (book / "_toc.yml").write_text(yaml.safe_dump(contents))


def build(book, to=None, **addresses):
    """Build as the Makefile does, with no addresses but these, and perhaps to another folder."""
    options = re.search(r"jupyter-book build (.*)", (ROOT / "Makefile").read_text())[1].split()
    elsewhere = ["--path-output", str(to)] if to else []
    return subprocess.run(
        [*JUPYTER_BOOK, *options, *elsewhere],
        cwd=book,
        env={**{k: v for k, v in os.environ.items() if k not in ADDRESSES}, **addresses},
        capture_output=True,
        text=True,
        check=False,
    )


def built(book, name):
    return (book / "_build" / "html" / name).read_text(encoding="utf-8")


def notebook_page(book):
    return built(book, "chapters/notebook.html")


def copied_notebook(book):
    return nbformat.reads(built(book, "_sources/chapters/notebook.ipynb"), as_version=4)


@pytest.fixture(scope="module")
def first_build(tmp_path_factory):
    """A book with two more notebooks, which wait for each other, and what its build printed."""
    book = write_book(tmp_path_factory.mktemp("first"))
    add_notebook(book, MEETS.format(own="one", other="two"), "one")
    add_notebook(book, MEETS.format(own="two", other="one"), "two")
    result = build(book, JOBS="2")
    assert result.returncode == 0, result.stderr
    return book, result.stdout


def test_notebooks_run_side_by_side_and_not_again(first_build):
    book, printed = first_build
    assert "they met" in built(book, "chapters/one.html")
    assert re.search(r"ran: notebook \d+ s, one \d+ s, two \d+ s; together", printed)
    (book / "chapters" / "index.md").write_text("# A book\n\n## Another part\n")
    (book / "chapters" / "notebook.ipynb").touch()
    again = build(book, JOBS="2")
    assert again.returncode == 0, again.stderr
    assert "Notebooks that ran" not in again.stdout


def test_notebook_runs_again_after_a_change_in_a_module_that_it_imports(first_build):
    book, _ = first_build
    assert "the answer is forty-two" in notebook_page(book)
    (book / "chapters" / "helper.py").write_text("ANSWER = 'forty-three'\n")
    assert build(book).returncode == 0
    assert "the answer is forty-three" in notebook_page(book)


def test_book_without_addresses_names_no_other_site(first_build):
    book, _ = first_build
    page = notebook_page(book)
    for sign in ("mybinder", "colab", "og:", "canonical", "https://ann"):
        assert sign not in page
    assert not (book / "_build" / "html" / "sitemap.xml").exists()
    first = copied_notebook(book).cells[0]
    assert first.cell_type == "markdown"
    assert "`chapters`" in first.source


@pytest.fixture(scope="module")
def published_book(tmp_path_factory, first_build):
    """The small book, built as the publishing workflow builds it, from outputs that are there."""
    book = write_book(tmp_path_factory.mktemp("published"))
    outputs = Path("_build", ".jupyter_cache")
    shutil.copytree(first_build[0] / outputs, book / outputs)
    day = {"GIT_AUTHOR_DATE": "2026-03-14T12:00", "GIT_COMMITTER_DATE": "2026-03-14T12:00"}
    for command in ("init -q", "add chapters", "-c user.name=ann -c user.email=a@b commit -qm 1"):
        subprocess.run(["git", *command.split()], cwd=book, check=True, env=os.environ | day)
    result = build(
        book,
        BOOK_REPOSITORY="https://github.com/ann/course",
        BOOK_ADDRESS="https://ann.github.io/course",
        BOOK_REVISION="0123abc",
    )
    assert result.returncode == 0, result.stderr
    assert "Notebooks that ran" not in result.stdout
    return book


def test_published_book_can_be_launched_shared_and_indexed(published_book):
    page, site = notebook_page(published_book), "https://ann.github.io/course"
    for address in (
        "https://mybinder.org/v2/gh/ann/course/main?urlpath=lab/tree/chapters/notebook.ipynb",
        "https://colab.research.google.com/github/ann/course/blob/notebooks/chapters/notebook.ipynb",
    ):
        assert f'href="{address}"' in page
    for text in (page, built(published_book, "index.html")):
        assert f'<link rel="canonical" href="{site}/chapters/' in text
        (card,) = re.findall(r'<meta property="og:image" content="(.*?)"', text)
        file = published_book / "_build" / "html" / card.removeprefix(site).lstrip("/")
        assert Image.open(file).size == (1200, 630)
        assert file.stat().st_size < 100_000
    assert '<meta property="og:title" content="A notebook" />' in page
    listed = re.findall("<loc>(.*?)</loc>", built(published_book, "sitemap.xml"))
    assert listed == [f"{site}/chapters/{name}.html" for name in ("index", "notebook")]
    assert f"Sitemap: {site}/sitemap.xml" in built(published_book, "robots.txt")
    assert f'href="{site}/chapters/index.html"' in built(published_book, "404.html")
    assert 'href="https://github.com/ann/course/issues/new">Tell us' in page
    assert f'href="{site}/transformer.pdf">as a PDF' in page
    assert "Last updated on 2026-03-14" in " ".join(page.split())


def test_downloaded_notebook_of_a_published_book_begins_with_what_installs_the_course(
    published_book,
):
    first, *others = copied_notebook(published_book).cells
    assert "https://github.com/ann/course/archive/0123abc.zip" in first.source
    source = nbformat.read(published_book / "chapters" / "notebook.ipynb", as_version=4)
    assert [cell.source for cell in others] == [cell.source for cell in source.cells]


def test_what_the_first_cell_installs_is_all_that_chapters_import():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [Requirement(line) for line in project["project"]["dependencies"]]
    pinned = [
        Requirement(line.split("#")[0])
        for line in (ROOT / "requirements.txt").read_text().splitlines()
        if "==" in line
    ]
    pins = {each.name.lower(): next(iter(each.specifier)).version for each in pinned}
    for each in wanted:
        assert pins[each.name.lower()] in each.specifier, each
    imported = set()
    for notebook in (ROOT / "chapters").glob("*_*.ipynb"):
        for cell in nbformat.read(notebook, as_version=4).cells:
            if cell.cell_type == "code":
                imported |= set(re.findall(r"^\s*(?:from|import) (\w+)", cell.source, re.M))
    for module in [*ROOT.glob("solutions/*.py"), *ROOT.glob("chapters/figures/*.py")]:
        text = module.read_text(encoding="utf-8")
        imported |= set(re.findall(r"^\s*(?:from|import) (\w+)[ .\n]", text, re.M))
    ours = set(project["tool"]["setuptools"]["package-dir"])
    found = packages_distributions()
    others = {name for name in imported - ours - sys.stdlib_module_names if name in found}
    assert {"torch", "sklearn"} <= others
    provided = {canonicalize_name(each.name) for each in wanted} | {"numpy"}  # torch's neighbour
    assert {canonicalize_name(found[name][0]) for name in others} <= provided


def test_failing_cells_fail_the_build_and_are_all_reported(small_book):
    write_notebook(small_book, "1 / 0")
    add_notebook(small_book, "print(no_such_name)", "another")
    result = build(small_book)
    assert result.returncode != 0
    reported = result.stdout + result.stderr
    for name in ("notebook.ipynb", "1 / 0", "ZeroDivisionError", "another.ipynb", "no_such_name"):
        assert name in reported


def test_warnings_and_broken_references_fail_each_build_and_are_all_reported(small_book):
    write_notebook(small_book, "import warnings\nwarnings.warn('this will change')")
    broken = "[](no-such-page.md), {ref}`no-such-label`, {cite}`nobody1900nothing`, [](#no-anchor)"
    broken += r", $\frac{1$"
    (small_book / "chapters" / "index.md").write_text(f"# A book\n\n## A part\n\n{broken}\n")
    reported = ("stderr was found", "no-such-page", "no-such-label", "nobody1900", "no-anchor")
    reported += ("cannot be set",)
    for result in (build(small_book), build(small_book)):  # the second reads no changed file
        assert result.returncode != 0
        for name in reported:
            assert name in result.stdout + result.stderr


def test_changed_sentence_takes_seconds_and_two_pages(site, tmp_path):
    """For Sphinx a page changed when its file is newer than what was built from it."""
    for folder in (".doctrees", "html"):
        shutil.copytree(site.parent / folder, tmp_path / "_build" / folder)
    for _ in range(3):  # one measurement can be unlucky
        old = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("chapters/*.html")}
        (ROOT / "chapters" / "05_positions.ipynb").touch()
        before = processor_time_of_children()
        result = build(ROOT, to=tmp_path)
        seconds = processor_time_of_children() - before
        assert result.returncode == 0, result.stderr
        written = {file.stem for file in old if file.stat().st_mtime_ns != old[file]}
        assert written == {"05_positions", "index"}  # Sphinx always writes the first page
        if seconds < 15:
            break
    # Under 5 on two quiet cores, and the whole book takes sixty; processor time, too, doubles and
    # more where others use the machine.
    assert seconds < 15


def test_an_extension_imports_no_pytorch_before_there_is_something_to_make():
    names = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["local_extensions"]
    program = "import sys; [__import__(name) for name in sys.argv[1:]]; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program, *names],
        cwd=ROOT / "chapters", capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.split()
    assert "_ext.interactive.playgrounds" in loaded
    assert "torch" not in loaded


def processor_time_of_children():
    used = os.times()
    return used.children_user + used.children_system


def test_references_are_formatted_again_when_an_entry_changes_and_only_then(monkeypatch):
    def entry(title):
        return Entry("misc", {"title": title, "year": "2017"}, {"author": [Person("Ann Author")]})

    entries = {"one": entry("Attention"), "two": entry("Transformers")}
    domain = KeptCitations.__new__(KeptCitations)
    domain.data = {"bibliographies": {"list": SimpleNamespace(style="alpha", labelprefix="")}}
    monkeypatch.setattr(domain, "get_sorted_entries", lambda *_: list(entries.items()))

    def formatted():
        found = domain.get_formatted_entries("list", ["page"], True, "")
        return [str(each.text) for _, each, _ in found], found

    texts, first = formatted()
    assert "Attention" in texts[0]
    assert formatted()[1] is first
    entries["one"] = entry("Self-attention")
    assert "Self-attention" in formatted()[0][0]


def numbers(folder):
    (folder / "numbers.js").write_text("numbers = [1, 2];")


def no_numbers(folder):
    numbers(folder)
    raise ValueError("the model is not there")


def test_what_is_made_beside_the_pages_comes_whole_or_stops_the_build(tmp_path, monkeypatch):
    static, connected = tmp_path / "html" / "_static", []
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        outdir=tmp_path / "html",
        doctreedir=tmp_path / "doctrees",
        setup_extension=lambda name: None,
        connect=lambda event, handler: connected.append(handler),
    )
    monkeypatch.setattr(background, "TASKS", {})
    source = tmp_path / "model"
    source.write_text("weights")
    for make in (no_numbers, numbers):
        made = background.Task(make, "numbers.js", (source,), lambda: True)
        background.add_task(app, "data", made)
        background.begin(app, None, [])
        if make is no_numbers:
            with pytest.raises(SphinxError, match="could not be made"):
                connected.pop()(app, None)
            assert not static.exists()
    connected.pop()(app, None)
    assert (static / "data" / "numbers.js").read_text() == "numbers = [1, 2];"
    background.begin(app, None, [])  # it is there, and newer than the model
    assert connected == []


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

    def test_keeps_its_data_once_and_to_three_digits(self, output):
        before, after = output, rewrite_bertviz(output)
        assert before.count('"root_div_id"') == 2
        assert after.count('"root_div_id"') == 1
        full, short = self.data(before), self.data(after)
        assert full.keys() == short.keys()
        weights = [torch.tensor(each["attention"][0]["attn"]) for each in (full, short)]
        assert (weights[0] - weights[1]).abs().max() <= 0.5e-3
        assert len(after) < len(before)

    def test_keeps_vectors_to_two_digits(self):
        maps, vectors = torch.rand(1, 1, 2, 2), torch.rand(1, 1, 2, 64)
        parts = {"attn": maps.tolist(), "queries": vectors.tolist(), "keys": vectors.tolist()}
        view = f"const params = {json.dumps({'attention': {'all': parts}})};"
        short = self.data(rewrite_bertviz(view))["attention"]["all"]
        assert (torch.tensor(short["attn"]) - maps).abs().max() <= 0.5e-3
        for name in ("queries", "keys"):
            assert 1e-3 < (torch.tensor(short[name]) - vectors).abs().max() < 0.6e-2

    def test_names_its_menus(self):
        view = head_view((torch.ones(1, 1, 2, 2),), ["a", "b"], html_action="return")
        assert '<select id="layer" aria-label="Layer">' in rewrite_bertviz(view.data)

    @staticmethod
    def data(html):
        return json.JSONDecoder().raw_decode(html.split("const params = ")[1])[0]
