"""A chapter where nothing is installed, as on Colab: its first cell makes it run.

This builds an environment of several gigabytes and takes minutes, so `make test` leaves it out;
`make test-launch` and the weekly workflow run it.
"""

import functools
import http.server
import os
import subprocess
import sys
import threading
from pathlib import Path

import nbformat
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "chapters"))

from _ext.pages.launch_buttons import first_cell
from _ext.site.contents import ROOT

CHAPTER = ROOT / "chapters" / "01_simple_attention.ipynb"


@pytest.fixture
def repository(tmp_path):
    """The address of a server that offers the last commit as GitHub would."""
    folder = tmp_path / "served" / "ann" / "course" / "archive"
    folder.mkdir(parents=True)
    archive = ["git", "archive", "--prefix=course-main/", "-o", str(folder / "main.zip"), "HEAD"]
    subprocess.run(archive, cwd=ROOT, check=True)
    handler = functools.partial(
        http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "served")
    )
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/ann/course"
        server.shutdown()


@pytest.mark.launch
@pytest.mark.timeout(1800)
def test_first_cell_makes_an_empty_environment_run_a_chapter(repository, tmp_path):
    notebook = nbformat.read(CHAPTER, as_version=4)
    theme = {"repository_url": repository, "repository_branch": "main"}
    notebook.cells.insert(0, first_cell(theme))
    place = tmp_path / "elsewhere"
    place.mkdir()
    nbformat.write(notebook, place / "chapter.ipynb")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "empty"], check=True)
    programs = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([programs / "pip", "install", "-q", "ipykernel", "nbclient"], check=True)
    run = [
        programs / "jupyter",
        "execute",
        "--timeout=1200",
        "--output=done.ipynb",
        "chapter.ipynb",
    ]
    subprocess.run(run, cwd=place, check=True)
    done = nbformat.read(place / "done.ipynb", as_version=4)
    assert printed(done.cells[1:]) == printed(notebook.cells[1:])


def printed(cells):
    """Return what each code cell that is compared has printed or returned, as text."""
    compared = [c for c in cells if c.cell_type == "code" and not c.metadata.get("tags")]
    return [
        "".join(
            output.get("text") or output.get("data", {}).get("text/plain", "")
            for output in cell.outputs
            if output.get("name") != "stderr"
        )
        for cell in compared
    ]
