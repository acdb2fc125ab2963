"""Grade a notebook: run its cells, and at each check cell judge the exercise from outside.

The cell that carries the points is never executed. In its place the grader calls the function that
the student defined, on hidden cases, and compares what comes back here, in a process that no cell
of the notebook can reach.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat

from grading.check import Call, CallResult, Report, Verdict, steady
from grading.content import exercises_of
from grading.content.release import RELEASED
from grading.exercise import DrawnExercise, hidden_seed
from grading.limits import ReturnedLimits
from grading.running import independence, redaction
from grading.running.kernel import Bounds, CellResult, SubmissionKernel
from grading.running.time_limit import TooLongError, processor_seconds

Notebook = nbformat.NotebookNode
_new_output: Any = nbformat.v4.new_output  # has no types

_CELL_ENDED = {
    "timeout": "it did not finish in the time that a cell has.",
    "died": "it ended the whole Python process (an exit, a crash, or no memory left).",
}


def grade_notebook(
    notebook: Notebook,
    assignment: str,
    submission: str = "",
    files: Iterable[Path] = (),
    bounds: Bounds | None = None,
    secret: bytes = b"",
    variant: int = 0,
) -> list[Verdict]:
    """Run a notebook and judge every exercise of its assignment.

    Args:
        notebook: is given the outputs of its cells; a check cell gets the report and the points in
            the form that nbgrader reads.
        assignment: such as ``01_simple_attention``.
        submission: who handed it in; with the notebook's text, what lies beside it and the secret,
            it decides the hidden cases.
        files: what lies beside the notebook, the released files among them.
        bounds: time and output that it may use.
        secret: of the course; without it, whoever knows this repository can tell the hidden cases
            of a submission before it is handed in.
        variant: of the assignment, as the notebook's exercises are.

    Returns:
        A verdict for each exercise, in the order of the assignment, whatever the notebook does.

    Raises:
        LookupError: if there is no such assignment.
    """
    exercises = exercises_of(assignment, variant)
    cells = [
        c for c in notebook.cells if c.get("cell_type") == "code" and type(c.get("source")) is str
    ]
    for cell in cells:  # half a character, as a broken file may hold, cannot be sent to a kernel
        cell.source = cell.source.encode("utf-8", "replace").decode()
    files = [file for file in files if file.name != TIMESTAMP]
    key = _key(submission, cells, files)
    drawn = {e.id: DrawnExercise(e, hidden_seed(assignment, e.id, key, secret)) for e in exercises}
    runner = NotebookRunner(files, bounds or Bounds())
    verdicts = _run_notebook(runner, cells, drawn)
    for id_, verdict in verdicts.items():
        undefined = any(case.found == "missing" for case in verdict.cases)
        if undefined or verdict.status not in ("correct", "not attempted"):
            verdicts[id_] = _retry_alone(runner, cells, drawn, id_, verdict)
    _write(cells, drawn, verdicts)
    return list(verdicts.values())


# nbgrader's, which another way to collect does not write: no part of the draw, and so no kernel
# sees it, or it could tell an answer what an earlier feedback said of the same cases.
TIMESTAMP = "timestamp.txt"


def _key(submission: str, cells: list[Notebook], files: list[Path]) -> str:
    """Name a submission by all that its code is and reads: with anything else, other cases.

    The labels of cells decide which are run once more, so they belong to it.
    """
    text = "\0".join([submission, *(f"{_grade_id(cell)}\0{cell.source}" for cell in cells)])
    digest = hashlib.sha256(text.encode())
    for file in sorted(files, key=lambda file: file.name):
        if file.name not in RELEASED:
            digest.update(f"\0{file.name}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


class NotebookRunner:
    """Runs cells and calls in a kernel; a kernel that they kill is replaced.

    In the new kernel the earlier cells are run again, except those that killed the old one, so
    that one bad cell costs its own exercise and no other.
    """

    def __init__(self, files: Iterable[Path], bounds: Bounds, deadline: float | None = None):
        self.files = list(files)
        self.bounds = bounds
        self.deadline = deadline or time.monotonic() + bounds.notebook_seconds
        self._kernel: SubmissionKernel | None = None
        self._run_before: list[str] = []
        self.was_hindered = False  # by something that did not end, or ended the kernel

    def __enter__(self) -> NotebookRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self._end_kernel()

    def run_cell(self, source: str) -> CellResult:
        """Run a cell; its time is what a cell may take, or less if the notebook's runs out."""
        if self._time_is_up():
            self.was_hindered = True
            return CellResult("timeout")
        run = self._living_kernel().run_cell(source, self._seconds_left())
        if run.status in ("ok", "error"):
            self._run_before.append(source)
        self.was_hindered |= run.status in _CELL_ENDED or _out_of_memory(run.error)
        return run

    @property
    def cells(self) -> list[str]:
        """The text of the cells that were run."""
        return self._run_before

    def outcomes(self, drawn: DrawnExercise) -> list[CallResult]:
        """Call the exercise's function on every case, once or, in a new kernel, twice."""
        first, *others = drawn.orders
        outcomes = self._outcomes_in(first, drawn)
        for order in others:
            if drawn.grade(outcomes).points:
                self._end_kernel()  # what the first calls left behind is gone
                outcomes = steady(outcomes, self._outcomes_in(order, drawn))
        return outcomes

    def _outcomes_in(self, order: list[int], drawn: DrawnExercise) -> list[CallResult]:
        """Call the cases in an order; after a call that kills, no other is made."""
        calls = [drawn.cases[place]["call"] for place in order]
        by_place = dict(zip(order, self._outcomes_of(calls, drawn.exercise.mixed), strict=True))
        return [by_place[place] for place in range(len(order))]

    def _outcomes_of(self, calls: list[Call], mixed: bool) -> list[CallResult]:
        # a student's test that saw what comes next could compare the versions with each other
        outcomes = None if mixed else self._outcomes_at_once(calls)
        if outcomes is None:
            outcomes = self._outcomes_one_by_one(calls)
        self.was_hindered |= any(
            _out_of_memory(f"{outcome.get('type')}: {outcome.get('text')}") for outcome in outcomes
        )
        return outcomes

    def _outcomes_one_by_one(self, calls: list[Call]) -> list[CallResult]:
        outcomes: list[CallResult] = []
        reason = ""
        for call in calls:
            if not reason and self._time_is_up():
                reason = "the notebook's time is used up."
            if reason:
                outcomes.append({"status": "not run", "text": f"Not run: {reason}"})
                self.was_hindered = True
                continue
            outcomes.append(self._living_kernel().call(call))
            if outcomes[-1]["status"] in ("timeout", "died"):
                reason = "an earlier case did not come to an end."
                self.was_hindered = True
        return outcomes

    def _outcomes_at_once(self, calls: list[Call]) -> list[CallResult] | None:
        if self._time_is_up():
            return None
        return self._living_kernel().calls(calls)

    def _living_kernel(self) -> SubmissionKernel:
        if self._kernel is None or not self._kernel.alive:
            self._end_kernel()
            self._kernel = SubmissionKernel(self.files, self.bounds)
            for source in self._run_before:
                if not self._time_is_up():
                    self._kernel.run_cell(source, self._seconds_left())
        return self._kernel

    def _end_kernel(self) -> None:
        if self._kernel is not None:
            self._kernel.close()
            self._kernel = None

    def _time_is_up(self) -> bool:
        return time.monotonic() > self.deadline

    def _seconds_left(self) -> float:
        return max(0.1, min(self.bounds.cell_seconds, self.deadline - time.monotonic()))


def _run_notebook(
    runner: NotebookRunner, cells: list[Notebook], drawn: dict[str, DrawnExercise]
) -> dict[str, Verdict]:
    """Run the notebook from top to bottom, then judge each exercise on what it defines.

    No cell's output is taken after a hidden case was called, so none can show one.
    """
    checks = {d.exercise.check_cell for d in drawn.values()}
    runs: list[tuple[Notebook, CellResult]] = []
    with runner:
        for cell in cells:
            if _grade_id(cell) in checks:
                continue
            run = runner.run_cell(cell.source)
            runs.append((cell, run))
            cell.outputs = run.outputs
            if run.status in _CELL_ENDED:
                cell.outputs.append(_note(_CELL_ENDED[run.status]))
        found = {id_: _judge(runner, exercise, runs) for id_, exercise in drawn.items()}
    # What stands further down may have changed what was right where the check cell stands.
    for id_, exercise in drawn.items():
        if found[id_].status != "correct" and not _ended(found[id_]):
            roles = _CellRoles(cells, exercise, drawn)
            if roles.after_check() and not roles.independent_of(roles.after_check()):
                before = roles.before_check()
                ran = [(c, r) for c, r in runs if c in before and r.status not in _CELL_ENDED]
                with NotebookRunner(runner.files, runner.bounds, runner.deadline) as fresh:
                    for cell, _ in ran:
                        fresh.run_cell(cell.source)
                    found[id_] = _better(found[id_], _judge(fresh, exercise, ran))
    return found


def _judge(
    runner: NotebookRunner, drawn: DrawnExercise, runs: list[tuple[Notebook, CellResult]]
) -> Verdict:
    verdict = _verdict(runner, drawn)
    answers = [run for cell, run in runs if _grade_id(cell) == drawn.exercise.answer_cell]
    if answers and answers[-1].status != "ok" and verdict.status != "correct":
        run = answers[-1]
        verdict.note = f"The cell with your answer stopped: {run.error or _CELL_ENDED[run.status]}"
        if verdict.status == "not attempted":
            verdict.status = "wrong"
    return verdict


def _verdict(runner: NotebookRunner, drawn: DrawnExercise) -> Verdict:
    """Call the cases and judge what comes back, in a bounded time of this process's own."""
    outcomes = runner.outcomes(drawn)
    try:
        with processor_seconds(ReturnedLimits.judging_seconds):
            return drawn.grade(outcomes, redaction.shown(drawn.exercise, runner.cells))
    except TooLongError:
        text = "What came back takes too long to be examined."
        return drawn.grade([{"status": "unusable", "text": text} for _ in outcomes])


def _retry_alone(
    runner: NotebookRunner,
    cells: list[Notebook],
    drawn: dict[str, DrawnExercise],
    id_: str,
    verdict: Verdict,
) -> Verdict:
    """Judge a failed answer again in a kernel that has run no other answer.

    What one answer does to torch, or to the process, must not cost the others their points. Cells
    that the student added may hold what the answer needs, or do the harm: it is tried without them
    first, then with them.
    """
    roles = _CellRoles(cells, drawn[id_], drawn)
    if not runner.was_hindered and roles.independent_of(roles.of("other", "added")):
        return verdict
    best = verdict
    if roles.of("answer"):
        released = roles.of("given", "answer")
        with_added = roles.of("given", "answer", "added")
        for own in (released, with_added) if len(with_added) > len(released) else (released,):
            # the time that other answers wasted is not this one's fault
            deadline = max(runner.deadline, time.monotonic() + runner.bounds.alone_seconds)
            with NotebookRunner(runner.files, runner.bounds, deadline) as fresh:
                for cell in own:
                    fresh.run_cell(cell.source)
                again = _verdict(fresh, drawn[id_])
            if again.points > best.points:
                best = again
            if best.status == "correct":
                break
    if best is not verdict:
        best.note = (
            f"Graded on its own: after the rest of the notebook it earns {verdict.points:g} "
            "points, because another cell changes what it relies on, such as a function of torch."
        )
    return best


class _CellRoles:
    """The cells of a notebook by what they are to one exercise.

    ``answer``: its own; ``check``: any exercise's check cell; ``other``: the answer of another
    exercise; ``given``: the rest of what was released; ``added``: by the student.
    """

    def __init__(
        self, cells: list[Notebook], drawn: DrawnExercise, all_drawn: dict[str, DrawnExercise]
    ):
        self._own = drawn.exercise
        roles = {d.exercise.answer_cell: "other" for d in all_drawn.values()}
        roles |= {d.exercise.check_cell: "check" for d in all_drawn.values()}
        roles |= {self._own.answer_cell: "answer", "": "added"}
        self._cells = [(cell, roles.get(_grade_id(cell), "given")) for cell in cells]

    def of(self, *roles: str) -> list[Notebook]:
        """The cells that have one of these roles, in their order."""
        return [cell for cell, role in self._cells if role in roles]

    def after_check(self) -> list[Notebook]:
        """What stands behind the exercise's check cell; nothing if it has none."""
        return [cell for cell, role in self._cells[self._begin :] if role != "check"]

    def before_check(self) -> list[Notebook]:
        """What stands before it."""
        return [cell for cell, role in self._cells[: self._begin] if role != "check"]

    @property
    def _begin(self) -> int:
        names = [_grade_id(cell) for cell, _ in self._cells]
        own = self._own.check_cell
        return names.index(own) if own in names else len(names)

    def independent_of(self, others: list[Notebook]) -> bool:
        """Whether these surely have no influence on the answer, by all that their text shows."""
        answer = "\n".join(cell.source for cell in self.of("answer"))
        given = [cell.source for cell in self.of("given")]
        return independence.independent(answer, [cell.source for cell in others], given)


def _better(one: Verdict, other: Verdict) -> Verdict:
    if other.points == one.points and one.status == "not attempted":
        return other
    return other if other.points > one.points else one


def _out_of_memory(error: str) -> bool:
    return "MemoryError" in error or "allocate memory" in error


def _ended(verdict: Verdict) -> bool:
    return any(case.found in ("timeout", "died") for case in verdict.cases)


def _write(
    cells: list[Notebook], drawn: dict[str, DrawnExercise], verdicts: dict[str, Verdict]
) -> None:
    by_check_cell = {drawn[id_].exercise.check_cell: v for id_, v in verdicts.items()}
    for cell in cells:
        verdict = by_check_cell.get(_grade_id(cell))
        if verdict is not None:
            # nbgrader takes the score from the text of a grade cell's result; people see the HTML
            data = {"text/plain": f"{verdict.points:g}", "text/html": Report(verdict)._repr_html_()}
            cell.outputs = [_new_output("execute_result", data, execution_count=None)]


def _note(text: str) -> Notebook:
    note: Notebook = _new_output("stream", name="stdout", text=f"[This cell stopped: {text}]\n")
    return note


def _grade_id(cell: Notebook) -> str:
    metadata = cell.get("metadata")
    nbgrader = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return str(nbgrader.get("grade_id", "")) if isinstance(nbgrader, dict) else ""
