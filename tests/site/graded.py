"""Take one wrong submission of assignment 1 through the course in the current folder.

It runs in a process of its own: nbgrader's applications want an event loop for themselves, and the
tests' browser has one. Hidden cases are the same each time, so that pages show the same numbers.
"""

import contextlib
import shutil
from pathlib import Path

import nbformat
from jupyter_core.application import NoStart
from nbconvert.exporters import HTMLExporter
from nbgrader.apps import NbGraderApp
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config, PyFileConfigLoader

from grading.commands import main
from grading.content.release import EXERCISES_FOLDER
from grading.course.secret import LENGTH, path_of
from grading.running import sandbox

ASSIGNMENT, NAME = "01_simple_attention", "simple_attention.ipynb"
WRONG = """def weights_time_first(query, key):
    return torch.einsum("qbd,kbd->bqk", query, key).softmax(-1)
"""


def nbgrader(*command: str) -> None:
    """Run a command of nbgrader."""
    app = NbGraderApp()
    with contextlib.suppress(NoStart):
        app.initialize(list(command))
        app.start()
    app.subapp.clear_instance()


def take_through() -> None:
    """Release, hand in, grade, give feedback, report."""
    shutil.copy(EXERCISES_FOLDER.parent / "nbgrader_config.py", ".")
    shutil.copytree(EXERCISES_FOLDER / ASSIGNMENT, Path("exercises", ASSIGNMENT))
    path_of(Path()).parent.mkdir()
    path_of(Path()).write_text("01" * LENGTH)
    nbgrader("generate_assignment", ASSIGNMENT)
    notebook = nbformat.read(Path("release", ASSIGNMENT, NAME), as_version=4)
    (answer,) = (c for c in notebook.cells if "weights_time_first-answer" in str(c.metadata))
    answer.source = WRONG
    folder = Path("submitted", "ada", ASSIGNMENT)
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / NAME)
    main(["autograde", ASSIGNMENT, *([] if sandbox.available()[0] else ["--insecure"])])
    nbgrader("generate_feedback", ASSIGNMENT)
    main(["report", ASSIGNMENT])
    main(["report", "--all"])
    graded = nbformat.read(Path("autograded", "ada", ASSIGNMENT, NAME), as_version=4)
    Path("formgrader.html").write_text(formgrader_page(graded), encoding="utf-8")


def formgrader_page(notebook: nbformat.NotebookNode) -> str:
    """Return the page on which a person grades, as formgrader's server makes it."""
    config = Config(PyFileConfigLoader("nbgrader_config.py").load_config())
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    resources = {
        "assignment_id": ASSIGNMENT, "notebook_id": "simple_attention", "submission_id": "1",
        "index": 0, "total": 1, "base_url": ".", "student": "ada", "last_name": None,
        "first_name": None, "notebook_path": "",
    }  # fmt: skip
    return str(HTMLExporter(config=config).from_notebook_node(notebook, resources)[0])


if __name__ == "__main__":
    take_through()
