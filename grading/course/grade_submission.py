"""Grade one submission: a function from bytes to plain values, without database or course folder.

It repairs the notebook, has it graded in a confined kernel and cleans the result. Whatever the
submission does, it returns a result: points and reports, or the reason why there is nothing to
grade. Workers of every kind call it and know nothing else.
"""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from grading.check import Verdict
from grading.content import exercises_of
from grading.course import assigned_variants, repair, sanitise
from grading.course.assignment import ReleasedAssignment
from grading.course.submissions import Submission, UnreadableError
from grading.limits import ReturnedLimits
from grading.running import sandbox, temporary
from grading.running.grade_notebook import grade_notebook
from grading.running.kernel import Bounds


@dataclass
class Result:
    """What became of a submission.

    Attributes:
        student: who handed it in.
        status: ``graded``; ``explained`` if nothing in it could be graded, with the reason in
            ``problem``; ``failed`` if that was the grader's fault: it is tried again next time.
        points: of the exercises that the grader judges; a person's points are not among them.
        max_points: the most of them.
        problem: a sentence.
        notes: what was repaired or left out, in sentences.
        exercises: the verdicts as plain values.
        notebook: the graded notebook as text, clean.
        seconds: what it took.
    """

    student: str
    status: str
    points: float
    max_points: float
    problem: str = ""
    notes: list[str] = field(default_factory=list)
    exercises: list[dict[str, Any]] = field(default_factory=list)
    notebook: str = ""
    seconds: float = 0.0

    def to_bytes(self) -> bytes:
        """Write it as JSON, which a reader need not trust."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, content: bytes) -> Result:
        """Read what :meth:`to_bytes` wrote."""
        return cls(**json.loads(content))


def grade(
    submission: Submission, released: ReleasedAssignment, bounds: Bounds | None = None
) -> Result:
    """Grade a submission.

    Raises:
        SandboxError: if this machine cannot confine a kernel.
    """
    begin = time.monotonic()
    notes = list(submission.notes)
    try:
        if submission.problem:
            raise UnreadableError(submission.problem)
        cells = repair.choose(submission.notebooks, released, notes)
        released = assigned_variants.judged_as(released, submission.student, cells, notes)
        notebook = repair.repaired(cells, released, notes)
    except UnreadableError as error:
        return explained(submission, released, str(error), notes)
    repair.add_notes(notebook, notes)
    sanitise.markdown(notebook)
    verdicts = _undisturbed(notebook, submission, released, bounds or Bounds())
    clean_outputs(notebook, released.assignment)
    return Result(
        student=submission.student,
        status="graded",
        points=sum(verdict.points for verdict in verdicts),
        max_points=sum(verdict.max_points for verdict in verdicts),
        notes=repair.told(notes),
        exercises=[as_record(verdict) for verdict in verdicts],
        notebook=nbformat.writes(notebook),
        seconds=time.monotonic() - begin,
    )


def explained(
    submission: Submission,
    released: ReleasedAssignment,
    problem: str,
    notes: list[str] | None = None,
    failed: bool = False,
) -> Result:
    """Make the result of a submission that was not graded: no points, and the reason on top."""
    notes = repair.told(submission.notes if notes is None else notes)
    (problem,) = repair.told([problem])
    notebook = repair.without_work(assigned_variants.own(released, submission.student))
    no_points(notebook, released.assignment, problem)
    repair.add_notes(notebook, [problem, *notes])
    sanitise.markdown(notebook)
    return Result(
        student=submission.student,
        status="failed" if failed else "explained",
        points=0,
        max_points=released.max_points,
        problem=problem,
        notes=notes,
        notebook=nbformat.writes(notebook),
    )


def no_points(notebook: NotebookNode, assignment: str, problem: str) -> None:
    """Fill the check cells of a notebook that is not run."""
    checks = {exercise.check_cell for exercise in exercises_of(assignment)}
    for cell in notebook.cells:
        if sanitise.grade_id(cell) in checks:
            (line,) = repair.told([problem])
            data = {"text/plain": "0", "text/html": f"<p>{escape(line)}</p>"}
            cell.outputs = [nbformat.v4.new_output("execute_result", data, execution_count=None)]


def clean_outputs(notebook: NotebookNode, assignment: str) -> None:
    """Clean all outputs except the grader's own reports."""
    sanitise.outputs(notebook, {exercise.check_cell for exercise in exercises_of(assignment)})


def _undisturbed(
    notebook: NotebookNode, submission: Submission, released: ReleasedAssignment, bounds: Bounds
) -> list[Verdict]:
    """Grade, and grade again if the warm parent was ended meanwhile: its kernels go with it."""
    with tempfile.TemporaryDirectory(prefix="beside-", dir=temporary.folder()) as folder:
        files = _write(Path(folder), {**submission.files, **released.files})
        for attempts_left in reversed(range(ReturnedLimits.submission_attempts)):
            before = sandbox.warm_parent.start() if bounds.forked else 0
            try:
                verdicts = grade_notebook(
                    notebook, released.assignment, submission.student, files, bounds,
                    released.secret, released.variant,
                )  # fmt: skip
                if not bounds.forked or sandbox.warm_parent.start() == before:
                    return verdicts
            except (sandbox.SandboxError, RuntimeError):
                if not attempts_left:
                    raise
    raise RuntimeError("The process that kernels are forked from was ended again and again.")


def _write(folder: Path, files: dict[str, bytes]) -> list[Path]:
    """Write what lies directly beside the notebook: a kernel's folder has no folders."""
    paths = []
    for name, content in files.items():
        if "/" not in name:
            path = folder / name
            path.write_bytes(content)
            paths.append(path)
    return paths


def as_record(verdict: Verdict) -> dict[str, Any]:
    """A verdict for programs, without the cases, which no one stores 30,000 times."""
    return {
        "exercise": verdict.exercise,
        "points": verdict.points,
        "max_points": verdict.max_points,
        "verdict": verdict.status,
        "mistakes": verdict.mistakes,
        "message": " ".join([verdict.summary, *verdict.explanations, verdict.note]).strip(),
    }
