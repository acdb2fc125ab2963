"""The solutions to the chapters' exercises are in nothing that students get."""

import re
import zipfile

import pytest

from _ext.exports import solutions_book

READABLE = (".html", ".ipynb", ".js", ".json", ".md", ".py", ".txt", ".xml")


def lines_of_answers():
    """For each exercise the longest stretch of a line of its answer that has no markup in it."""
    return [
        max(re.split(r"[\n*`$_\[\]]", cell.source), key=len).strip()
        for path in solutions_book.files()
        for cell in solutions_book.read(path)
        if cell.kind == "exercise"
    ]


LINES = lines_of_answers()


def leaks(texts):
    """Names of texts that hold a line of an answer, with the line."""
    return [(name, line) for name, text in texts for line in LINES if line in text]


def files_below(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in READABLE:
            yield path.name, path.read_text(encoding="utf-8", errors="replace")
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield f"{path.name}/{name}", archive.read(name).decode("utf-8", "replace")


def test_there_is_a_line_for_each_answer():
    assert len(LINES) > 50
    assert min(map(len, LINES)) > 25


def test_no_answer_is_on_the_site_or_in_what_it_offers(site):
    assert leaks(files_below(site)) == []
    assert not list(site.rglob("*instructors/*"))


def test_no_answer_is_in_what_is_released_beside_an_exercise():
    assert leaks(files_below(solutions_book.ROOT / "exercises")) == []


@pytest.mark.parametrize("name", ["page.html", "search/sections.js", "notes.zip"])
def test_an_answer_would_be_found(tmp_path, name):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    if file.suffix == ".zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("solution.py", f"# {LINES[3]}\n")
    else:
        file.write_text(f"<p>Before. {LINES[3]} After.</p>", encoding="utf-8")
    assert leaks(files_below(tmp_path))
