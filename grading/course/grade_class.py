"""Grade the submissions of an assignment, each exactly once, and say what became of them.

A submission is done when the ledger has a record of these very bytes, judged by this very
assignment. Everything else is sent to workers; results are written here, by one process at a time.
Where a corrected exercise would change points that are recorded already, its results are kept
aside until somebody has seen the changes.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from nbgrader.converters import Autograde

from grading.course import submissions
from grading.course.assignment import ReleasedAssignment
from grading.course.grade_submission import Result, explained
from grading.course.gradebook import Recorded, Recorder, WriteError, retry_while_locked
from grading.course.secret import WORKING_FOLDER
from grading.course.submissions import Submission
from grading.errors import ExplainedError


class AlreadyRunningError(ExplainedError):
    """Another run works on this course."""


class WorkersError(ExplainedError):
    """There is nobody to grade; the sentence says why."""


class Workers(Protocol):
    """Whoever grades: processes of this machine, or of a cluster."""

    def results(
        self, released: ReleasedAssignment, submissions: Iterator[Submission]
    ) -> Iterator[tuple[Submission, Result]]:
        """Yield each submission with its result, in any order."""


@dataclass
class Change:
    """What a regrade would change for a student.

    ``set_aside``: points that a person gave to answers that were other ones, by their cells.
    ``kept``: the older submission is better, and still counts.
    """

    student: str
    old_points: float
    new_points: float
    set_aside: dict[str, float] = field(default_factory=dict)
    kept: bool = False


@dataclass
class RunSummary:
    """What a run did: numbers, and of each submission with a problem the sentence.

    ``changes``: of exercises that were corrected; ``pending`` of them are not written.
    ``again``: of those who handed in again, which are written.
    ``unrecorded``: those without a record, and why.
    """

    found: int = 0
    skipped: int = 0
    graded: int = 0
    seconds: float = 0.0
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, list[str]] = field(default_factory=dict)
    mistakes: Counter[tuple[str, str]] = field(default_factory=Counter)
    changes: list[Change] = field(default_factory=list)
    again: list[Change] = field(default_factory=list)
    pending: int = 0
    unrecorded: dict[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """True if every submission has a record."""
        return not self.unrecorded and not self.pending


@contextlib.contextmanager
def exclusive_lock(root: Path) -> Iterator[None]:
    """Hold the course's lock, which ends with this process, however that ends.

    Raises:
        AlreadyRunningError: if another run holds it.
    """
    folder = root / WORKING_FOLDER
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.seek(0)
            raise AlreadyRunningError(
                f"Another run works on this course already (process {stream.read().strip()}): "
                "wait until it has ended, or end it."
            ) from None
        stream.truncate(0)
        stream.write(str(os.getpid()))
        stream.flush()
        yield


class GradingRun:
    """One run over an assignment."""

    def __init__(
        self,
        converter: Autograde,
        released: ReleasedAssignment,
        recorder: Recorder,
        workers: Workers,
        force: bool = False,
        advance: Callable[[int], None] = lambda done: None,
    ):
        self._coursedir = converter.coursedir
        self._released = released
        self._recorder = recorder
        self._workers = workers
        self._force = force
        self._advance = advance
        self._recorded: dict[str, Recorded] = {}
        self._outdone: set[tuple[str, str]] = set()
        self._aside = Path(self._coursedir.root, WORKING_FOLDER, "changes", released.assignment)
        self.summary = RunSummary()

    def grade(self, folders: dict[str, Path]) -> RunSummary:
        """Grade what is not recorded; leave changes of recorded points to :meth:`write_changes`."""
        begin = time.monotonic()
        self._recorded = retry_while_locked(self._recorder.recorded, self._recorder.log)
        self._outdone = retry_while_locked(self._recorder.outdone, self._recorder.log)
        self.summary.found = len(folders)
        for submission, result in self._workers.results(self._released, self._to_grade(folders)):
            self._take(submission, result)
        self.summary.seconds = time.monotonic() - begin
        return self.summary

    def write_changes(self, folders: dict[str, Path]) -> None:
        """Write the results that change recorded points."""
        for change in self.summary.changes:
            submission = self._read(change.student, folders[change.student])
            path = self._path_aside(submission)
            self._write(submission, Result.from_bytes(path.read_bytes()))
            self.summary.pending -= 1
        shutil.rmtree(self._aside, ignore_errors=True)

    def _read(self, student: str, folder: Path) -> Submission:
        return submissions.read(student, folder, self._coursedir.ignore)

    def _to_grade(self, folders: dict[str, Path]) -> Iterator[Submission]:
        for student, folder in folders.items():
            unknown = retry_while_locked(
                functools.partial(self._recorder.unknown, student), self._recorder.log
            )
            if unknown:
                self.summary.unrecorded[student] = unknown
                self._advance(1)
                continue
            submission = self._read(student, folder)
            if not self._force and self._is_done(submission):
                self.summary.skipped += 1
                self._advance(1)
                continue
            aside = self._path_aside(submission)
            if not self._force and aside.exists():  # judged by a run whose changes nobody wanted
                self._take(submission, Result.from_bytes(aside.read_bytes()))
                continue
            if not submission.gradable:
                self._take(submission, explained(submission, self._released, submission.problem))
                continue
            yield submission

    def _is_done(self, submission: Submission) -> bool:
        recorded = self._recorded.get(submission.student)
        if recorded is not None and (submission.student, submission.hash()) in self._outdone:
            return True
        return (
            recorded is not None
            and recorded.status != "failed"
            and recorded.submission_key == submission.hash()
            and recorded.source_key == self._recorder.key
        )

    def _take(self, submission: Submission, result: Result) -> None:
        recorded = self._recorded.get(submission.student)
        if (
            recorded is not None
            and recorded.submission_key == submission.hash()
            and recorded.status != "failed"
            and recorded.points != result.points
        ):
            change = Change(submission.student, recorded.points, result.points)
            self.summary.changes.append(change)
            self.summary.pending += 1
            path = self._path_aside(submission)
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_suffix(".tmp")
            temporary.write_bytes(result.to_bytes())
            os.replace(temporary, path)
        elif recorded is None or recorded.submission_key == submission.hash():
            self._write(submission, result)
        else:
            outdone = functools.partial(self._recorder.is_outdone, submission, result, recorded)
            kept = retry_while_locked(outdone, self._recorder.log)
            self._write(submission, result, counts=not kept)
            if submission.student not in self.summary.unrecorded:
                aside = {} if kept else self._recorder.set_aside.get(submission.student, {})
                self.summary.again.append(
                    Change(submission.student, recorded.points, result.points, aside, kept)
                )
        self._count(result)
        self._advance(1)

    def _path_aside(self, submission: Submission) -> Path:
        text = "\0".join([submission.student, submission.hash(), self._recorder.key])
        return self._aside / f"{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}.json"

    def _write(self, submission: Submission, result: Result, counts: bool = True) -> None:
        try:
            self._recorder.write(submission, result, counts)
        except WriteError:
            raise
        except Exception as error:  # one submission that cannot be written is not the end
            reason = f"{type(error).__name__}: {error}".partition("\n")[0][:300]
            problem = f"Its result could not be written ({reason})."
            try:
                failed = explained(submission, self._released, problem, failed=True)
                self._recorder.write(submission, failed, counts)
                self.summary.problems[submission.student] = problem
            except WriteError:
                raise
            except Exception:
                self.summary.unrecorded[submission.student] = problem

    def _count(self, result: Result) -> None:
        self.summary.graded += 1
        if result.problem:
            self.summary.problems[result.student] = result.problem
        if result.notes:
            self.summary.notes[result.student] = result.notes
        for exercise in result.exercises:
            for mistake in exercise["mistakes"]:
                self.summary.mistakes[exercise["exercise"], mistake] += 1


def as_json(
    released: ReleasedAssignment, summary: RunSummary, rows: Iterator[dict[str, Any]]
) -> dict[str, Any]:
    """A run for programs: its numbers, and the record of every submission."""
    return {
        "assignment": released.assignment,
        "submissions": summary.found,
        "graded": summary.graded,
        "skipped": summary.skipped,
        "complete": summary.complete,
        "seconds": round(summary.seconds, 2),
        "problems": summary.problems,
        "unrecorded": summary.unrecorded,
        "changes": [vars(change) for change in summary.changes],
        "changes_written": not summary.pending,
        "handed_in_again": [vars(change) for change in summary.again],
        "mistakes": [
            {"exercise": exercise, "mistake": mistake, "submissions": count}
            for (exercise, mistake), count in summary.mistakes.most_common()
        ],
        "records": list(rows),
    }
