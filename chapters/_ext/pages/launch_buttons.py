"""The buttons that run a page on Colab or Binder, and the copies of notebooks that they open.

Binder builds the repository as it is. Colab has only the one notebook that it opens; therefore the
copy of a chapter that can be downloaded begins with a cell that installs the course, and the
workflow puts these copies on the branch NOTEBOOKS, where Colab finds them.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

NOTEBOOKS = "notebooks"
INSTALL = '''\
# Run this cell first: it installs the course where it is missing, as on Colab.
from importlib.util import find_spec

if not (find_spec("figures") and find_spec("solutions")):
    %pip install --quiet "transformer-course @ {archive}"'''
BELONGS = (
    "*This notebook imports modules of the course. Put it into the folder `chapters` of the course "
    "and start Jupyter there.*"
)


def point_to_copies(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Lead Colab to the branch with the copies."""
    branch = app.config.html_theme_options.get("repository_branch")
    for group in context.get("header_buttons", ()):
        for button in group.get("buttons", ()):
            if button["text"] == "Colab":
                button["url"] = button["url"].replace(f"/blob/{branch}/", f"/blob/{NOTEBOOKS}/")


def first_cell(theme: dict) -> nbformat.NotebookNode:
    """Return the cell with which the copy of a chapter begins."""
    repository = theme["repository_url"]
    if not repository:
        return nbformat.v4.new_markdown_cell(BELONGS, id="first")
    revision = os.environ.get("BOOK_REVISION") or theme["repository_branch"]
    archive = f"{repository}/archive/{revision}.zip"
    return nbformat.v4.new_code_cell(INSTALL.format(archive=archive), id="first")


def write_copies(app: Sphinx, failure: Exception | None) -> None:
    """Write the notebooks that can be downloaded, each with the cell in front."""
    if failure is not None or app.builder.format != "html":
        return
    for page in app.env.found_docs:
        if app.env.doc2path(page).endswith(".ipynb"):
            notebook = json.loads(Path(app.env.doc2path(page)).read_text(encoding="utf-8"))
            notebook["cells"].insert(0, first_cell(app.config.html_theme_options))
            copy = Path(app.outdir, "_sources", f"{page}.ipynb")
            copy.write_text(json.dumps(notebook, indent=1, ensure_ascii=False), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx, after the theme that makes the buttons."""
    app.connect("html-page-context", point_to_copies, priority=900)
    app.connect("build-finished", write_copies, priority=950)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
