"""A course with released assignment 1, ways to hand in and to grade, and what came of it."""

import contextlib
import contextvars
import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import nbformat
import pytest
from jupyter_core.application import NoStart
from nbconvert.exporters import HTMLExporter
from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderApp
from nbgrader.coursedir import CourseDirectory
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config, PyFileConfigLoader

from grading.commands import main
from grading.content.release import EXERCISES_FOLDER
from grading.course.assignment import ReleasedAssignment, read_released
from grading.running import sandbox

ROOT = EXERCISES_FOLDER.parent
ASSIGNMENT = "01_simple_attention"
NAME = "simple_attention.ipynb"
# Where a machine has no sandbox the grader refuses; what surrounds it can be tested all the same.
INSECURE = [] if sandbox.available()[0] else ["--insecure"]

WRONG_SCALE = """
def weights_time_first(query, key):
    return torch.einsum("qbd,kbd->bqk", query, key).softmax(-1)
"""


def formgrader_page(notebook: nbformat.NotebookNode, assignment: str = ASSIGNMENT) -> str:
    """The page of a graded notebook as formgrader makes it, with the settings of the course."""
    config = Config(PyFileConfigLoader(str(ROOT / "nbgrader_config.py")).load_config())
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    resources = {
        "assignment_id": assignment, "notebook_id": "simple_attention", "submission_id": "1",
        "index": 0, "total": 1, "base_url": "", "student": "ben", "last_name": None,
        "first_name": None, "notebook_path": "",
    }  # fmt: skip
    return str(HTMLExporter(config=config).from_notebook_node(notebook, resources)[0])


class Course:
    """A folder that is an nbgrader course."""

    def __init__(self, folder: Path):
        self.folder = folder

    def hand_in(self, student: str, notebook: object, name: str = NAME) -> Path:
        """Put a notebook, or the bytes of a file, where nbgrader collects submissions."""
        folder = self.folder / "submitted" / student / ASSIGNMENT
        folder.mkdir(parents=True, exist_ok=True)
        content = notebook if isinstance(notebook, bytes) else nbformat.writes(notebook).encode()
        (folder / name).write_bytes(content)
        return folder

    def start(self, *command: str) -> subprocess.Popen:
        """Start a Python module in the course's folder."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}
        return subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=self.folder, env=environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *command: str) -> subprocess.CompletedProcess:
        """Run it to its end."""
        process = self.start(*command)
        out, errors = process.communicate(timeout=800)
        return subprocess.CompletedProcess(command, process.returncode, out, errors)

    def start_autograde(self, *options: str) -> subprocess.Popen:
        """Start our command."""
        return self.start("grading", "autograde", ASSIGNMENT, *INSECURE, *options)

    def ours(self, *command: str) -> subprocess.CompletedProcess:
        """Run our command in this process, which has imported all that it needs."""
        with self._here() as (out, errors):
            # in a context without an event loop, which workers that are forked would share
            status = contextvars.Context().run(main, command)
        return subprocess.CompletedProcess(command, status, out.getvalue(), errors.getvalue())

    def autograde(self, *options: str) -> subprocess.CompletedProcess:
        """Run our command that grades a class, likewise."""
        return self.ours("autograde", ASSIGNMENT, *INSECURE, *options)

    def nbgrader(self, *command: str) -> None:
        """Run nbgrader, likewise; what is typed is run by `test_nbgrader.py`."""
        app, status = NbGraderApp(), None
        with self._here() as (out, errors):
            try:
                app.initialize(list(command))
                app.start()
            except NoStart:  # the command has run
                pass
            except SystemExit as ended:
                status = ended.code
            finally:
                app.subapp.clear_instance()
        assert not status, out.getvalue() + errors.getvalue()

    @contextlib.contextmanager
    def _here(self) -> Iterator[tuple[io.StringIO, io.StringIO]]:
        """Enter the course's folder; what is printed can be read, in lines of any width."""
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        with (
            contextlib.chdir(self.folder),
            mock.patch.dict(os.environ, PATH=path),
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            yield out, errors

    @contextlib.contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        """Open the gradebook."""
        with Gradebook(f"sqlite:///{self.folder}/gradebook.db", "transformer") as gradebook:
            yield gradebook

    def grades(self) -> dict[str, dict[str, float | None]]:
        """Everybody's automatic scores."""
        with self.gradebook() as gradebook:
            return {
                submission.student_id: {g.name: g.auto_score for g in notebook.grades}
                for submission in gradebook.assignment_submissions(ASSIGNMENT)
                for notebook in submission.notebooks
            }

    def points(self) -> dict[str, float]:
        """Everybody's sum of automatic scores."""
        return {s: sum(v or 0 for v in found.values()) for s, found in self.grades().items()}

    def autograded(self, student: str) -> Path:
        """The folder with a graded submission."""
        return self.folder / "autograded" / student / ASSIGNMENT

    def feedback(self, student: str) -> str:
        """The page that a student gets."""
        page = self.folder / "feedback" / student / ASSIGNMENT / NAME.replace("ipynb", "html")
        return page.read_text()


@pytest.fixture(scope="session")
def released_course(tmp_path_factory) -> Course:
    course = Course(tmp_path_factory.mktemp("released"))
    shutil.copy(ROOT / "nbgrader_config.py", course.folder)
    shutil.copytree(ROOT / "exercises" / ASSIGNMENT, course.folder / "exercises" / ASSIGNMENT)
    course.nbgrader("generate_assignment", ASSIGNMENT)
    return course


@pytest.fixture(scope="session")
def source(released_course) -> ReleasedAssignment:
    coursedir = CourseDirectory(root=str(released_course.folder), source_directory="exercises")
    return read_released(coursedir, ASSIGNMENT)


@pytest.fixture(scope="session")
def released(released_course) -> nbformat.NotebookNode:
    """The notebook as students get it."""
    return nbformat.read(released_course.folder / "release" / ASSIGNMENT / NAME, as_version=4)


@pytest.fixture(scope="session")
def new_course(released_course, tmp_path_factory) -> Callable[[], Course]:
    def make() -> Course:
        folder = tmp_path_factory.mktemp("course")
        shutil.copytree(released_course.folder, folder, dirs_exist_ok=True)
        return Course(folder)

    return make


@pytest.fixture
def course(new_course) -> Course:
    return new_course()


def cell(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    """The cell with a name."""
    return next(c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade_id") == name)
