"""What nbgrader runs instead of its own parts, so that its commands give the same grades as ours.

Configured in ``nbgrader_config.py`` at the root of the course, for `nbgrader autograde` and the
formgrader's button. A submission is repaired when it is read, judged from outside its kernel, and
cleaned before anybody looks at it; the rest is nbgrader's own.
"""

from __future__ import annotations

import os
from pathlib import Path

from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, OverwriteCells
from traitlets import Bool, Unicode

from grading.batch import repair, sanitise, submissions, work
from grading.batch.source import Source, notebook_source
from grading.content import assignments
from grading.grade import grade_notebook
from grading.kernel import Bounds

_PROBLEM = (
    "grading_problem"  # in the metadata of a notebook, from one of nbgrader's passes to the next
)


class ReadRepaired(NotebookExporter):
    """Read a submission, whatever state it is in, as a notebook with all cells in their places."""

    def from_filename(
        self, filename: str, resources: dict | None = None, **kw: object
    ) -> tuple[str, ResourcesDict]:
        """Convert a notebook file; one that cannot be read becomes one that says so."""
        handed_in = any(isinstance(step, OverwriteCells) for step in self._preprocessors)
        asked = (resources or {}).get("nbgrader", {})
        if not handed_in or asked.get("assignment") not in assignments():
            return super().from_filename(filename, resources, **kw)
        source = self._source(asked)
        self._forget_links(Path(filename).parent, asked)
        notes: list[str] = []
        try:
            content = submissions.read_notebook(Path(filename))
            notebook = repair.repaired(repair.parse(content, notes), source, notes)
            sanitise.markdown(notebook)
        except submissions.UnreadableError as error:
            notebook = repair.without_work(source)
            notebook.metadata[_PROBLEM] = str(error)
            notes.insert(0, str(error))
        for note in notes:
            self.log.warning("%s: %s", asked["student"], note)
        repair.add_notes(notebook, notes)
        return self.from_notebook_node(notebook, resources, **kw)

    def _source(self, asked: dict) -> Source:
        coursedir = self.parent.coursedir
        folder = coursedir.format_path(coursedir.source_directory, ".", asked["assignment"])
        with Gradebook(asked["db_url"], coursedir.course_id) as gradebook:
            row = gradebook.find_notebook(asked["notebook"], asked["assignment"])
            return notebook_source(row, asked["assignment"], Path(folder))

    def _forget_links(self, folder: Path, asked: dict) -> None:
        """Remove what nbgrader has just copied through a link, which may lead anywhere."""
        coursedir = self.parent.coursedir
        ours = coursedir.format_path(coursedir.source_directory, ".", asked["assignment"])
        copies = coursedir.format_path(
            coursedir.autograded_directory, asked["student"], asked["assignment"]
        )
        whole = folder.is_symlink() or folder.parent.is_symlink()
        for found, _, names in os.walk(folder):
            for name in names:
                path = Path(found, name)
                copy = Path(copies, path.relative_to(folder))
                is_ours = Path(ours, path.relative_to(folder)).exists()
                if (whole or path.is_symlink()) and not is_ours and copy.is_file():
                    self.log.warning("%s is a link: its copy is removed", path)
                    copy.unlink()


class GradeFromOutside(Execute):
    """Grade the exercises of a known assignment; execute any other notebook as nbgrader does."""

    insecure = Bool(
        False,
        help="Grade without the sandbox, where a submission can do all that you can do.",
    ).tag(config=True)
    container = Unicode(
        "",
        help="Run each submission in a container of this image, with Podman or Docker, instead.",
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: object = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Run the notebook and write points and reports into its check cells."""
        assignment = resources["nbgrader"]["assignment"]
        if assignment not in assignments():
            return super().preprocess(nb, resources, km)
        problem = nb.metadata.pop(_PROBLEM, None)
        if problem:
            work.no_points(nb, assignment, problem)
            return nb, resources
        student = resources["nbgrader"]["student"]
        files = _plain_files(Path(resources["metadata"]["path"]))
        bounds = Bounds(confined=not self.insecure, container=self.container)
        for verdict in grade_notebook(nb, assignment, student, files, bounds):
            self.log.info(
                "%s: %g of %g points (%s)",
                verdict.exercise,
                verdict.points,
                verdict.max_points,
                ", ".join([verdict.status, *verdict.mistakes]),
            )
        work.clean_outputs(nb, assignment)
        return nb, resources


def _plain_files(folder: Path) -> list[Path]:
    """What lies beside the notebook: no links, no folders, nothing huge."""
    files = [Path(e.path) for e in os.scandir(folder) if e.is_file(follow_symlinks=False)]
    most = submissions.MAX_FILE_BYTES
    return [f for f in files if f.suffix != ".ipynb" and f.stat().st_size <= most]
