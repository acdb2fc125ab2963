"""What nbgrader runs instead of its own parts, so that its commands give the same grades as ours.

Configured in ``nbgrader_config.py`` at the root of the course, for `nbgrader autograde` and the
formgrader's button. A submission is repaired when it is read, judged from outside its kernel, and
cleaned before anybody looks at it; the rest is nbgrader's own.
"""

from __future__ import annotations

import functools
import glob
import logging
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.apps.baseapp import NbGrader
from nbgrader.converters import Autograde
from nbgrader.converters import base as nbgrader_base
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute, OverwriteCells
from traitlets import Bool, Integer, TraitError, Unicode, default

from grading.content import assignments
from grading.content.release import RELEASED, PointsDifferError, check_points
from grading.course import repair, sanitise, submissions
from grading.course.assigned_variants import (
    Variants,
    cells_in_course,
    cells_in_file,
    folder_of,
    judged_as,
    own,
    put_in_place,
    with_variants,
)
from grading.course.assignment import (
    CourseNotReadyError,
    ReleasedAssignment,
    read_released,
    released_notebook,
)
from grading.course.deadlines import DatesError, due_dates
from grading.course.grade_submission import clean_outputs, no_points
from grading.course.secret import course_secret
from grading.errors import ExplainedError
from grading.exercise.variants import letter
from grading.limits import Limits, NotebookLimits, SandboxLimits, SubmissionLimits, flags
from grading.running.grade_notebook import grade_notebook
from grading.running.kernel import Bounds
from grading.running.launch import begin_parent
from grading.running.sandbox.container import ContainerProvisioner
from grading.running.sandbox.provisioner import SandboxProvisioner
from grading.running.settings import trait

# in the metadata of a notebook, from one of nbgrader's passes to the next
_PROBLEM = "grading_problem"
_VARIANT = "grading_variant"


nbgrader_base.find_all_files = submissions.find_all_files  # its own looks at each file n times
CourseDirectory.get_existing_timestamp = submissions.existing_timestamp  # which may be anything
_copy_files = nbgrader_base.BaseConverter.init_assignment


def _copy_submitted(converter: Any, assignment_id: str, student_id: str) -> None:
    """Copy what lies beside the notebooks: of a submission only what can be read without harm."""
    if not isinstance(converter, Autograde):
        _copy_files(converter, assignment_id, student_id)
        return
    folder = Path(converter._format_source(assignment_id, student_id))
    copies = Path(converter._format_dest(assignment_id, student_id))
    submission = submissions.read(student_id, folder, converter.coursedir.ignore)
    for note in repair.told([*filter(None, [submission.problem]), *submission.notes]):
        converter.log.warning("%s: %s", student_id, note)
    for name, content in submission.files.items():
        if not name.lower().endswith(".ipynb"):
            copy = copies / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.unlink(missing_ok=True)
            copy.write_bytes(content)


nbgrader_base.BaseConverter.init_assignment = _copy_submitted


class PrintableLog(logging.Filter):
    """Takes out of nbgrader's log what moves a cursor: it names files as students name them."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Make a record printable; those of several lines, as tracebacks are, stay so."""
        text = record.getMessage()
        if not text.replace("\n", "").isprintable():
            lines = text.expandtabs().split("\n")
            record.msg = "\n".join(
                "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines
            )
            record.args = None
        return True


_notebooks_by_pattern = nbgrader_base.BaseConverter.init_notebooks


def init_notebooks(self: Any) -> None:
    """Do what nbgrader's method does; to it a folder of a student called * is a pattern."""
    coursedir = self.coursedir
    pattern = self._format_source(coursedir.assignment_id, coursedir.student_id)
    exact = coursedir.student_id != "*" and os.path.isdir(pattern)
    found = {
        folder: glob.glob(f"{coursedir.notebook_id}.ipynb", root_dir=folder)
        for folder in ([pattern] if exact else glob.glob(pattern))
    }
    self.notebooks = []
    self.assignments = {
        folder: [os.path.join(folder, name) for name in names]
        for folder, names in found.items()
        if names
    }
    for folder in set(found) - set(self.assignments):
        self.log.warning("%s holds no notebook: it is not looked at.", ascii(folder))
    if not self.assignments:
        _notebooks_by_pattern(self)  # which says what it looked for


nbgrader_base.BaseConverter.init_notebooks = init_notebooks


def course_here() -> NbGrader:
    """nbgrader with the settings of the course in the current folder, if this is one."""
    app = NbGrader()
    app.initialize([])
    app.log.setLevel(logging.ERROR)
    return app


def bounds_of(
    course: NbGrader,
    limits: Mapping[str, float | None],
    insecure: bool = False,
    container: str = "",
) -> Bounds:
    """What a submission may use: as given, else as the course's nbgrader_config.py sets it.

    Raises:
        ExplainedError: if that file sets what cannot be; the sentence says which.
    """

    def given(of: type[Limits]) -> dict[str, Any]:
        asked = {limit.name: limits.get(limit.name) for limit in flags(of)}
        return {name: value for name, value in asked.items() if value is not None}

    isolation = {"insecure": insecure, "container": container} if insecure or container else {}
    try:
        bounds = GradeFromOutside(parent=course, **given(NotebookLimits), **isolation).bounds()
    except TraitError as error:
        raise ExplainedError(f"nbgrader_config.py: {error}") from error
    return replace(bounds, sandbox=replace(bounds.sandbox, **given(SandboxLimits)))


def before_grading(assignment: str, student: str, notebooks: list[str]) -> None:
    """Look at what was released before `nbgrader autograde` grades anybody.

    Raises:
        SystemExit: if it cannot be graded rightly; nbgrader would go on after any other error.
    """
    if assignment in assignments():
        _check_released(assignment)
        _check_variants(assignment)
        _check_dates()


@functools.cache
def _check_released(assignment: str) -> None:
    coursedir = course_here().coursedir
    with Gradebook(coursedir.db_url, coursedir.course_id) as gradebook:
        try:
            notebooks = gradebook.find_assignment(assignment).notebooks
        except MissingEntry:
            return  # which nbgrader says itself
        points = {cell.name: cell.max_score for n in notebooks for cell in n.grade_cells}
    try:
        check_points(assignment, points)
    except PointsDifferError as error:
        raise SystemExit(f"Nothing is graded: {error}") from None


@functools.cache
def _check_variants(assignment: str) -> None:
    coursedir = course_here().coursedir
    root = Path(coursedir.root)
    if folder_of(root, assignment).is_dir():
        try:
            with_variants(read_released(coursedir, assignment), root, another="")
        except CourseNotReadyError as error:
            raise SystemExit(f"Nothing is graded: {error}") from None


@functools.cache
def _check_dates() -> None:
    try:
        due_dates(Path(course_here().coursedir.root))
    except DatesError as error:
        raise SystemExit(f"Nothing is graded: {error}") from None


class ReadRepaired(NotebookExporter):
    """Read a submission, whatever state it is in, as a notebook with all cells in their places."""

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a notebook file; one that cannot be read becomes one that says so."""
        handed_in = any(isinstance(step, OverwriteCells) for step in self._preprocessors)
        asked = (resources or {}).get("nbgrader", {})
        if not handed_in or asked.get("assignment") not in assignments():
            return super().from_filename(filename, resources, **kw)
        released = self._released(asked)
        notes: list[str] = []
        try:
            content = submissions.read_notebook(Path(filename))
            cells = repair.parse(content, notes)
            judged = judged_as(released, asked["student"], cells, notes)
            notebook = repair.repaired(cells, judged, notes)
            notebook.metadata[_VARIANT] = judged.variant
        except submissions.UnreadableError as error:
            judged = own(released, asked["student"])
            notebook = repair.without_work(judged)
            notebook.metadata[_VARIANT] = judged.variant
            notebook.metadata[_PROBLEM] = str(error)
            notes.insert(0, str(error))
        for note in repair.told(notes):
            self.log.warning("%s: %s", asked["student"], note)
        repair.add_notes(notebook, notes)
        sanitise.markdown(notebook)
        if released.variants:
            put_in_place(notebook, cells_in_course(released))
        convert: Any = self.from_notebook_node
        page: tuple[Any, dict[str, Any]] = convert(notebook, resources, **kw)
        return page

    def _coursedir(self) -> CourseDirectory:
        converter: Any = self.parent
        return converter.coursedir

    def _released(self, asked: dict[str, Any]) -> ReleasedAssignment:
        coursedir = self._coursedir()
        folder = coursedir.format_path(coursedir.source_directory, ".", asked["assignment"])
        with Gradebook(asked["db_url"], coursedir.course_id) as gradebook:
            row = gradebook.find_notebook(asked["notebook"], asked["assignment"])
            base = released_notebook(row, asked["assignment"], Path(folder))
        root, another = Path(coursedir.root), Variants(config=self.config).another
        if not folder_of(root, asked["assignment"]).is_dir():
            return base
        secret = course_secret(root, self.log.warning)
        return replace(with_variants(base, root, another), secret=secret)


class GradeFromOutside(Execute):  # type: ignore[misc]  # nbgrader has no types
    """Grade the exercises of a known assignment; execute any other notebook as nbgrader does."""

    insecure = Bool(
        False,
        help="Grade without the sandbox, where a submission can do all that you can do.",
    ).tag(config=True)
    container = Unicode(
        "",
        help="Run each submission in a container of this image, with Podman or Docker, instead.",
    ).tag(config=True)
    timeout = Integer(
        int(NotebookLimits.cell_seconds),
        allow_none=True,
        help="nbgrader's name for cell_seconds, which is what it sets unless that is set, too.",
    ).tag(config=True)
    cell_seconds = trait(NotebookLimits, "cell_seconds")
    call_seconds = trait(NotebookLimits, "call_seconds")
    notebook_seconds = trait(NotebookLimits, "notebook_seconds")
    alone_seconds = trait(NotebookLimits, "alone_seconds")
    output_bytes = trait(NotebookLimits, "output_bytes")

    @default("cell_seconds")
    def _timeout(self) -> float:
        if self.timeout is None or self.timeout <= 0:
            raise TraitError(
                f"c.GradeFromOutside.timeout: found {self.timeout}, expected seconds for a cell: "
                "without a limit an endless loop would be waited for."
            )
        return float(self.timeout)

    def bounds(self) -> Bounds:
        """What a submission may use, by this configuration and that of the provisioner.

        Raises:
            TraitError: if it is no number above zero.
        """
        provisioner = ContainerProvisioner if self.container else SandboxProvisioner
        return Bounds(
            **asdict(NotebookLimits.of(self)),
            sandbox=provisioner(config=self.config).limits,
            confined=not self.insecure,
            container=self.container,
        )

    def _root(self) -> Path | None:
        """The course's folder; nothing where there is no course around it."""
        holder = self.parent  # the exporter, whose parent is the command, which knows the course
        while holder is not None and not hasattr(holder, "coursedir"):
            holder = getattr(holder, "parent", None)
        return Path(holder.coursedir.root) if holder else None

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict, km: object = None
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Run the notebook and write points and reports into its check cells."""
        assignment = resources["nbgrader"]["assignment"]
        if assignment not in assignments():
            executed: tuple[NotebookNode, ResourcesDict] = super().preprocess(nb, resources, km)
            return executed
        problem = nb.metadata.pop(_PROBLEM, None)
        variant, root = nb.metadata.pop(_VARIANT, 0), self._root()
        beside: dict[str, Path] = {}
        if root and variant:
            folder = folder_of(root, assignment) / letter(variant)
            put_in_place(nb, cells_in_file(folder / f"{resources['unique_key']}.ipynb"))
            beside = {name: folder / name for name in RELEASED}
        if problem:
            no_points(nb, assignment, problem)
            return nb, resources
        student = resources["nbgrader"]["student"]
        files = _plain_files(Path(resources["metadata"]["path"]))
        files = [beside.get(file.name, file) for file in files]
        secret = course_secret(root, self.log.warning) if root else b""
        bounds = self.bounds()
        if bounds.forked:
            begin_parent(assignment)
        verdicts = grade_notebook(nb, assignment, student, files, bounds, secret, variant)
        for verdict in verdicts:
            self.log.info(
                "%s: %g of %g points (%s)",
                verdict.exercise,
                verdict.points,
                verdict.max_points,
                ", ".join([verdict.status, *verdict.mistakes]),
            )
        clean_outputs(nb, assignment)
        return nb, resources


def _plain_files(folder: Path) -> list[Path]:
    """What lies beside the notebook: no links, no folders, nothing huge."""
    files = [Path(e.path) for e in os.scandir(folder) if e.is_file(follow_symlinks=False)]
    limit = SubmissionLimits.file_bytes
    return [f for f in files if f.suffix.lower() != ".ipynb" and f.stat().st_size <= limit]
