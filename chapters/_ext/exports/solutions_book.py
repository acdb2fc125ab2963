"""Solutions to the exercises of the chapters, as pages for instructors: `make solutions-book`.

`instructors/NN_PAGE.py` answers the exercises that stand at the end of a page. `# %%` begins a cell
of code, `# %% [markdown]` one of text in comments, and `# %% [exercise N]` stands for the text of
the page's own exercise N, with the answer in comments below it. A file is run from top to bottom,
its cells print what a notebook's would, and it asserts what it says: the tests run all of them.
The pages are written to `_build/solutions`, never into the site.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import re
import shutil
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

from _ext.exports import rendering
from _ext.pages.formulas import STYLE
from _ext.site.contents import ROOT, page_named, pages

SOLUTIONS = ROOT / "instructors"
TARGET = ROOT / "_build" / "solutions"
MARK = re.compile(r"^# %%(?: \[(?P<kind>markdown|exercise (?P<number>\d+))\])? *\n", re.MULTILINE)
EXERCISE = re.compile(r"^(?:-|\d+\.) +(?=\*\()", re.MULTILINE)
STYLE_SHEET = """
body { max-width: 50rem; margin: 2rem auto; padding: 0 1rem; line-height: 1.5; }
pre { overflow-x: auto; font-size: 0.85rem; line-height: 1.45; margin-block: 0.7rem; }
.exercise { border-left: 4px solid var(--accent); padding: 0.1rem 1rem; margin-top: 2.5rem;
            background: var(--surface); }
.output { overflow-x: auto; }
table { font-size: 0.9rem; margin: 0.7rem 0; }
.citation { color: var(--muted); }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<link rel="stylesheet" href="{formulas}">
<link rel="stylesheet" href="solutions.css">
<body>
{body}
</body>
</html>
"""


@dataclass
class Cell:
    """A part of a file of solutions.

    Attributes:
        kind: `code`, `markdown` or `exercise`.
        source: code, or Markdown.
        number: of the exercise.
        outputs: as in a notebook, once it has run.
    """

    kind: str
    source: str
    number: int = 0
    outputs: list[dict[str, Any]] = field(default_factory=list)


def read(path: Path) -> list[Cell]:
    """Return the cells of a file of solutions, what stands above the first left out."""
    text = path.read_text(encoding="utf-8")
    marks = list(MARK.finditer(text))
    ends = [each.start() for each in marks[1:]] + [len(text)]
    cells = []
    for mark, end in zip(marks, ends, strict=True):
        kind = (mark["kind"] or "code").split()[0]
        source = text[mark.end() : end].strip("\n")
        if kind != "code":
            source = re.sub(r"^# ?", "", source, flags=re.MULTILINE)
        cells.append(Cell(kind, source, int(mark["number"] or 0)))
    return cells


def exercises(page: str) -> list[str]:
    """Return the exercises at the end of a page, as Markdown."""
    notebook = nbformat.read(ROOT / "chapters" / f"{page}.ipynb", as_version=4)
    text = notebook.cells[-1].source
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and EXERCISE.search(cell.source):
            text = cell.source
    if not EXERCISE.search(text):
        return []
    return [re.split(r"\n\s*\n", part)[0].strip() for part in EXERCISE.split(text)[1:]]


def run(cells: list[Cell], name: str) -> None:
    """Run the code of a file's cells in order, and keep what each prints and shows."""
    namespace: dict[str, Any] = {"__name__": name}
    for number, cell in enumerate(cells):
        if cell.kind != "code":
            continue
        tree = ast.parse(cell.source)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        where = f"instructors/{name}.py, cell {number}"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(tree, where, "exec"), namespace)
            shown = None
            if last is not None:
                shown = eval(compile(ast.Expression(last.value), where, "eval"), namespace)
        if printed.getvalue():
            cell.outputs.append({"text": printed.getvalue()})
        if shown is not None:
            html = getattr(shown, "_repr_html_", None)
            data = {"text/plain": repr(shown)} | ({"text/html": html()} if html else {})
            cell.outputs.append({"data": data})


@contextlib.contextmanager
def as_in_a_chapter():
    """Let solutions import `figures`, and what is beside them; leave torch as it was."""
    import pandas as pd
    import torch

    before = sys.path[:]
    options = torch.is_grad_enabled(), torch.get_num_threads(), torch.get_default_dtype()
    sys.path[:0] = [str(SOLUTIONS), str(ROOT / "chapters"), str(ROOT)]
    try:
        with pd.option_context("display.precision", 3), torch.random.fork_rng():
            yield
    finally:
        sys.path[:] = before
        torch.set_grad_enabled(options[0])
        torch.set_num_threads(options[1])
        torch.set_default_dtype(options[2])


def page_of(name: str, cells: list[Cell]) -> str:
    """Return a page of solutions that have run, as HTML."""
    asked = exercises(name)
    notebook = nbformat.read(ROOT / "chapters" / f"{name}.ipynb", as_version=4)
    title = notebook.cells[0].source.split("\n")[0].removeprefix("# ")
    parts = [rendering.markdown(f"# Solutions: {title}")]
    for cell in cells:
        if cell.kind == "code":
            parts.append(rendering.code(cell.source) + rendering.output(cell.outputs))
            continue
        if cell.kind == "exercise":
            text = rendering.markdown(f"**{cell.number}.** {asked[cell.number - 1]}")
            parts.append(f'<div class="exercise">{text}</div>')
        parts.append(f'<div class="prose">{rendering.markdown(cell.source)}</div>')
    name = f"Solutions: {rendering.words(title)}"
    return PAGE.format(title=name, formulas=STYLE, body="\n".join(parts))


def files() -> list[Path]:
    """Return the files of solutions in the book's order."""
    order = [page.removeprefix("chapters/") for page in pages()]
    return [SOLUTIONS / f"{page}.py" for page in order if (SOLUTIONS / f"{page}.py").is_file()]


def page_with_solutions(name: str) -> str:
    """Return the page that an argument names, without its folder.

    Raises:
        ArgumentTypeError: if there is none, or it asks nothing.
    """
    page = page_named(name).removeprefix("chapters/")
    if not (SOLUTIONS / f"{page}.py").is_file():
        raise argparse.ArgumentTypeError(f"the page {page} has no exercises.")
    return page


def main() -> int:
    """Run solutions, those of some pages or all, and write their pages."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "pages", nargs="*", type=page_with_solutions, metavar="PAGE", help="(default: all)"
    )
    names = parser.parse_args().pages
    TARGET.mkdir(parents=True, exist_ok=True)
    rendering.write_formula_style(TARGET)
    (TARGET / "solutions.css").write_text(rendering.style() + STYLE_SHEET, encoding="utf-8")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    lines = []
    for path in files():
        if names and path.stem not in names:
            continue
        began = time.perf_counter()
        cells = read(path)
        with as_in_a_chapter():
            run(cells, path.stem)
        (TARGET / f"{path.stem}.html").write_text(page_of(path.stem, cells), encoding="utf-8")
        print(f"{path.stem}: {time.perf_counter() - began:.0f} s", flush=True)
        lines.append(f'<li><a href="{path.stem}.html">{path.stem}</a></li>')
    body = f"<h1>Solutions to the exercises of the chapters</h1><ul>{''.join(lines)}</ul>"
    index = PAGE.format(title="Solutions", formulas=STYLE, body=body)
    (TARGET / "index.html").write_text(index, encoding="utf-8")
    shutil.rmtree(TARGET / "__pycache__", ignore_errors=True)
    print(f"For instructors only: {TARGET / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
