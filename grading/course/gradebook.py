"""The one writer: nbgrader's gradebook, the files in `autograded/`, and the ledger of what is done.

nbgrader's own preprocessors write the scores, so that formgrader, feedback and export find what
they always find. Scores and the ledger's row are one transaction; files are complete before it is
committed. Whoever is killed at whatever moment leaves a submission recorded, or as it was before.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import os
import shlex
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import sqlalchemy
from nbgrader.api import BaseCell, Comment, Grade, Gradebook, InvalidEntry, SubmittedAssignment
from nbgrader.converters import Autograde
from nbgrader.preprocessors import CheckCellMetadata, Execute, latesubmissions, saveautogrades
from sqlalchemy import orm

from grading.content import exercises_of
from grading.course import attempts
from grading.course.assignment import ReleasedAssignment
from grading.course.deadlines import Attempts, PenaltiesByDate
from grading.course.grade_submission import Result
from grading.course.submissions import Submission, handed_in, problem_with_id
from grading.errors import ExplainedError
from grading.limits import PatienceLimits
from grading.running.kernel import Bounds

# Beside nbgrader's tables and unknown to it: one row for each student and assignment.
_tables = sqlalchemy.MetaData()
LEDGER = sqlalchemy.Table(
    "grading_ledger",
    _tables,
    sqlalchemy.Column("assignment", sqlalchemy.String(128), primary_key=True),
    sqlalchemy.Column("student", sqlalchemy.String(160), primary_key=True),
    sqlalchemy.Column("submission_key", sqlalchemy.String(64), nullable=False),
    sqlalchemy.Column("source_key", sqlalchemy.String(64), nullable=False),
    sqlalchemy.Column("status", sqlalchemy.String(16), nullable=False),
    sqlalchemy.Column("points", sqlalchemy.Float, nullable=False),
    sqlalchemy.Column("max_points", sqlalchemy.Float, nullable=False),
    sqlalchemy.Column("problem", sqlalchemy.Text, nullable=False),
    sqlalchemy.Column("notes", sqlalchemy.Text, nullable=False),
    sqlalchemy.Column("exercises", sqlalchemy.Text, nullable=False),
    sqlalchemy.Column("seconds", sqlalchemy.Float, nullable=False),
    sqlalchemy.Column("graded_at", sqlalchemy.DateTime, nullable=False),
)


_SUBMISSION = "submission"  # in the metadata of a graded notebook: the hash of what was graded


class WriteError(ExplainedError):
    """Nothing more can be written; the sentence says why and what to do."""


@dataclass
class Recorded:
    """What the ledger says of a submission."""

    submission_key: str
    source_key: str
    status: str
    points: float


class _UntilTheEnd(orm.Session):
    """A session in which nbgrader's many commits are steps of one transaction."""

    def commit(self) -> None:
        self.flush()

    def commit_all(self) -> None:
        super().commit()


class _SharedGradebook(Gradebook):  # type: ignore[misc]  # nbgrader has no types
    """nbgrader's gradebook, kept open; its parts may close it as often as they like."""

    def __init__(self, db_url: str, course_id: str):
        super().__init__(db_url, course_id)
        self.db: Any
        self.db.remove()
        maker = orm.sessionmaker(
            autoflush=False, bind=self.engine, future=True, class_=_UntilTheEnd
        )
        self.db = orm.scoped_session(maker)
        self._of_cells: dict[tuple[str, ...], dict[str, Any]] = {}

    def close(self) -> None:
        pass

    def find_grade(self, grade_cell: str, *submitted: str) -> Grade:
        """Find it as nbgrader does, which asks the database for each cell again."""
        found = self._cells(Grade, *submitted).get(grade_cell)
        return found or super().find_grade(grade_cell, *submitted)

    def find_comment(self, solution_cell: str, *submitted: str) -> Comment:
        """Find it as nbgrader does, which asks the database for each cell again."""
        found = self._cells(Comment, *submitted).get(solution_cell)
        return found or super().find_comment(solution_cell, *submitted)

    def _cells(self, kind: Any, *submitted: str) -> dict[str, Any]:
        place = kind.__name__, *submitted
        if place not in self._of_cells:
            notebook = self.find_submission_notebook(*submitted)
            query = self.db.query(BaseCell.name, kind).join(BaseCell, BaseCell.id == kind.cell_id)
            self._of_cells[place] = dict(query.filter(kind.notebook_id == notebook.id).all())
        return self._of_cells[place]

    def forget(self) -> None:
        """Leave the session, and all that came out of it."""
        self._of_cells.clear()
        self.db.remove()

    def really_close(self) -> None:
        self.db.remove()
        self.engine.dispose()


class Recorder:
    """Writes results; use as a context manager. ``log`` is told when it has to wait.

    ``bounds``: within which submissions are graded.
    """

    def __init__(
        self,
        converter: Autograde,
        released: ReleasedAssignment,
        log: Callable[[str], None] = print,
        bounds: Bounds | None = None,
    ):
        self.released = released
        self.key = released.key(bounds or Bounds())  # of records that are not out of date
        self._converter = converter
        self._coursedir = converter.coursedir
        self.log = log
        self._file = _database_file(self._coursedir.db_url)
        self._identity = self._file_identity()
        self._gradebook = _SharedGradebook(self._coursedir.db_url, self._coursedir.course_id)
        _tables.create_all(self._gradebook.engine)
        attempts.make_table(self._gradebook.engine)
        self._best_counts = Attempts(parent=converter).counts == "best"
        self._known: set[str] = set()
        self.set_aside: dict[str, dict[str, float]] = {}  # points given by hand to older answers
        # Judged by workers; and what the last one checks came out of the gradebook.
        done = (Execute, CheckCellMetadata)
        self._steps = [
            step(parent=converter)
            for step in converter.autograde_preprocessors
            if not issubclass(step, done)
        ]
        late = (step for step in self._steps if isinstance(step, PenaltiesByDate))
        self._late: PenaltiesByDate = next(late, None) or PenaltiesByDate(parent=converter)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self._gradebook.really_close()

    # ---- What is there ---------------------------------------------------------------------

    def recorded(self) -> dict[str, Recorded]:
        """Map students to their records; those whose grades or files are gone are left out."""
        with self._gradebook.engine.connect() as connection:
            rows = connection.execute(
                sqlalchemy.select(LEDGER).where(LEDGER.c.assignment == self.released.assignment)
            ).all()
        assignment = self._gradebook.find_assignment(self.released.assignment)
        query = self._gradebook.db.query(SubmittedAssignment.student_id)
        graded = {id_ for (id_,) in query.filter_by(assignment_id=assignment.id)}
        self._gradebook.db.rollback()
        found = {}
        for row in rows:
            is_there = row.student in graded and self._notebook(row.student).exists()
            if is_there or row.status == "refused":
                found[row.student] = Recorded(
                    row.submission_key, row.source_key, row.status, row.points
                )
        return found

    def outdone(self) -> set[tuple[str, str]]:
        """The students and submissions that were graded and do not count: another one is better."""
        if not self._best_counts:
            return set()
        with self._gradebook.engine.connect() as connection:
            return attempts.outdone(connection, self.released.assignment, self.key)

    def is_outdone(self, submission: Submission, result: Result, recorded: Recorded) -> bool:
        """Whether what is recorded counts more, where the best submission counts.

        What the grader gives is compared, less what being late costs: nobody has read the new
        written answers yet. Of two that are equal the later one counts.
        """
        if not self._best_counts or recorded.status not in ("graded", "explained"):
            return False
        student = submission.student
        assignment, when = self.released.assignment, handed_in(submission)
        older = self._gradebook.find_submission(assignment, student)
        due = self._late.dates.until(assignment, student) or older.duedate

        def counted(points: float, time: datetime.datetime | None) -> float:
            seconds = (time - due).total_seconds() if time and due else 0.0
            return points - self._late.penalty(student, points, seconds)

        outdone = counted(recorded.points, older.timestamp) > counted(result.points, when)
        self._gradebook.db.rollback()
        return outdone

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the ledger's rows of this assignment as plain values."""
        with self._gradebook.engine.connect() as connection:
            query = sqlalchemy.select(LEDGER).where(LEDGER.c.assignment == self.released.assignment)
            for row in connection.execute(query.order_by(LEDGER.c.student)).mappings():
                yield {
                    "student": row["student"],
                    "status": row["status"],
                    "points": row["points"],
                    "max_points": row["max_points"],
                    "problem": row["problem"],
                    "notes": json.loads(row["notes"]),
                    "exercises": json.loads(row["exercises"]),
                    "seconds": row["seconds"],
                }

    def unknown(self, student: str) -> str:
        """Say why a student can have no grades, or nothing."""
        if self._converter.create_student or problem_with_id(student):
            return ""
        if not self._known:
            self._known = {student.id for student in self._gradebook.students}
            self._gradebook.db.rollback()
        if student in self._known:
            return ""
        return (
            f"The gradebook has no student {student}: run `nbgrader db student add "
            f"{shlex.quote(student)}`, or set c.Autograde.create_student = True."
        )

    # ---- Writing ---------------------------------------------------------------------------

    def write(self, submission: Submission, result: Result, counts: bool = True) -> None:
        """Record a result: files first, then grades and ledger together.

        With ``counts`` false it is only written down that there was this attempt.

        Raises:
            WriteError: if the disk is full, or the gradebook gone or locked for too long.
        """
        try:
            retry_while_locked(lambda: self._write_checked(submission, result, counts), self.log)
        except OSError as error:
            raise WriteError(
                f"Cannot write {error.filename or 'to the course folder'}: {error.strerror}. "
                "What was graded before is kept; make room, then run this command again."
            ) from error

    def _write_checked(self, submission: Submission, result: Result, counts: bool) -> None:
        try:
            self._check_identity()
            self._write(submission, result, counts)
            self._check_identity()
        except BaseException as error:
            self._undo()
            cause = error.__context__
            if isinstance(error, InvalidEntry) and isinstance(
                cause, sqlalchemy.exc.OperationalError
            ):
                raise cause from None  # nbgrader takes every failure for a wrong entry
            raise

    def _undo(self) -> None:
        with contextlib.suppress(Exception):
            self._gradebook.db.rollback()
        self._gradebook.forget()

    def _write(self, submission: Submission, result: Result, counts: bool) -> None:
        session = self._gradebook.db()
        # Taken before anything is read, so that two writers wait for each other at the beginning
        # and not in the middle.
        if self._gradebook.engine.dialect.name == "sqlite":
            session.connection().exec_driver_sql("BEGIN IMMEDIATE")
        if counts and submission.gradable:
            self._write_scores(submission, result)
        row = {
            "assignment": self.released.assignment,
            "student": submission.student,
            "submission_key": submission.hash(),
            "source_key": self.key,
            "status": result.status if submission.gradable else "refused",
            "points": result.points,
            "max_points": result.max_points,
        }
        if counts:
            session.execute(LEDGER.delete().where(*self._row_of(submission.student)))
            session.execute(
                LEDGER.insert().values(
                    **row,
                    problem=result.problem,
                    notes=json.dumps(result.notes),
                    exercises=json.dumps(result.exercises),
                    seconds=result.seconds,
                    graded_at=datetime.datetime.now(datetime.UTC).replace(tzinfo=None),
                )
            )
        if submission.gradable:
            row["handed_in"] = handed_in(submission)
            if not counts and row["status"] != "failed":
                row["status"] = attempts.OUTDONE
            attempts.write(session, row, result.exercises)
        session.commit_all()
        self._gradebook.forget()

    def _row_of(self, student: str) -> tuple[Any, Any]:
        return LEDGER.c.assignment == self.released.assignment, LEDGER.c.student == student

    def _write_scores(self, submission: Submission, result: Result) -> None:
        assignment, student = self.released.assignment, submission.student
        gradebook = self._gradebook
        if self._converter.create_student:
            gradebook.update_or_create_student(student)
        found = handed_in(submission)
        when = {"timestamp": found} if found else {}
        gradebook.update_or_create_submission(assignment, student, **when)
        before = self._reviewed(submission)
        older = self._given_by_hand(submission)
        notebook = nbformat.reads(result.notebook, as_version=4)
        nbgrader = {
            "student": student,
            "assignment": assignment,
            "notebook": self.released.notebook,
            "db_url": self._coursedir.db_url,
        }
        resources = {"unique_key": self.released.notebook, "nbgrader": nbgrader}
        with self._one_transaction():
            for step in self._steps:
                notebook, resources = step(notebook, resources)
                gradebook.db.expire_all()  # sums of points are computed by the database
        self._keep_reviews(before, student, result)
        self._set_aside(older, student, result)
        notebook.metadata[_SUBMISSION] = submission.hash()
        self._write_files(submission, nbformat.writes(notebook))

    @contextlib.contextmanager
    def _one_transaction(self) -> Iterator[None]:
        """nbgrader's parts open the gradebook for themselves; here they are given ours."""
        parts = (saveautogrades, latesubmissions)
        for part in parts:
            part.Gradebook = lambda *_: self._gradebook
        try:
            yield
        finally:
            for part in parts:
                part.Gradebook = Gradebook

    def _grades(self, student: str) -> list[Any]:
        notebook = self._gradebook.find_submission_notebook(
            self.released.notebook, self.released.assignment, student
        )
        return list(notebook.grades)

    def _reviewed(self, submission: Submission) -> dict[str, float | None]:
        """Which cells of this very submission a person has graded, with their automatic score."""
        row = self._gradebook.db.execute(
            sqlalchemy.select(LEDGER.c.submission_key).where(*self._row_of(submission.student))
        ).first()
        if row is None or row[0] != submission.hash():
            return {}
        return {
            grade.name: grade.auto_score
            for grade in self._grades(submission.student)
            if grade.manual_score is not None and not grade.needs_manual_grade
        }

    def _given_by_hand(self, submission: Submission) -> dict[str, tuple[Any, ...]]:
        """What a person has given to an earlier submission: points, and what they were given for.

        The cell's name, then the points, whether somebody has to look again, the automatic score
        and the answer.
        """
        row = self._gradebook.db.execute(
            sqlalchemy.select(LEDGER.c.submission_key).where(*self._row_of(submission.student))
        ).first()
        path = self._notebook(submission.student)
        if row is None or row[0] == submission.hash() or not path.exists():
            return {}
        graded = nbformat.read(path, as_version=4)
        of = graded.metadata.get(_SUBMISSION, row[0])
        answers = self._answers(graded) if of == row[0] else {}  # of a run that was killed
        return {
            grade.name: (
                grade.manual_score, grade.needs_manual_grade, grade.auto_score,
                answers.get(grade.name),
            )
            for grade in self._grades(submission.student)
            if grade.manual_score is not None
        }  # fmt: skip

    def _answers(self, notebook: nbformat.NotebookNode) -> dict[str, str]:
        """The text of the answer that each grade of a notebook is for."""
        cells = notebook.cells
        texts = {c.metadata.get("nbgrader", {}).get("grade_id"): c.source for c in cells}
        checked = {e.check_cell: e.answer_cell for e in exercises_of(self.released.assignment)}
        return {name: texts.get(checked.get(name, name), "") for name in texts if name}

    def _set_aside(self, older: dict[str, tuple[Any, ...]], student: str, result: Result) -> None:
        """Points that were given to another answer do not count for this one."""
        self.set_aside.pop(student, None)
        if not older:
            return
        answers = self._answers(nbformat.reads(result.notebook, as_version=4))
        for grade in self._grades(student):
            if grade.name not in older:
                continue
            points, waited, score, answer = older[grade.name]
            if (grade.auto_score, answers.get(grade.name)) == (score, answer):
                grade.needs_manual_grade = waited
                continue
            grade.manual_score = None
            grade.needs_manual_grade = grade.auto_score is None
            self.set_aside.setdefault(student, {})[grade.name] = points

    def _keep_reviews(self, before: dict[str, float | None], student: str, result: Result) -> None:
        """What a person has graded need not be graded again if nothing of it has changed."""
        if result.status == "graded" and not before:
            return
        for grade in self._grades(student):
            if result.status == "failed":
                grade.needs_manual_grade = True
            elif grade.name in before and grade.auto_score == before[grade.name]:
                grade.needs_manual_grade = False

    # ---- Files -----------------------------------------------------------------------------

    def _folder(self, student: str) -> Path:
        path = self._coursedir.format_path(
            self._coursedir.autograded_directory, student, self.released.assignment
        )
        return Path(os.path.normpath(path))

    def _notebook(self, student: str) -> Path:
        return self._folder(student) / f"{self.released.notebook}.ipynb"

    def _write_files(self, submission: Submission, notebook: str) -> None:
        """Make the student's folder in `autograded/` what nbgrader makes of it."""
        folder = self._folder(submission.student)
        kept = self._converter.exclude_overwriting.get(self.released.assignment, [])
        course = {n: c for n, c in self.released.files.items() if n not in kept}
        files = {**self.released.files, **submission.files, **course}
        files[f"{self.released.notebook}.ipynb"] = notebook.encode()
        # a folder of the student's may have the name of a file of the course
        files = {
            n: c for n, c in files.items() if not any(str(p) in files for p in Path(n).parents)
        }
        shared = self._coursedir.groupshared
        mode = int(str(self._converter.permissions), 8)
        for name, content in files.items():
            path = folder / name
            for above in [path, *path.parents][: len(Path(name).parts) + 1]:
                if above.is_dir() if above == path else above.is_file():
                    _remove(above)  # of an earlier submission
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, content, mode)
        for found, folders, names in os.walk(folder, topdown=False):
            for name in names:  # of an earlier submission, or left by a run that was killed
                path = Path(found, name)
                if str(path.relative_to(folder)) not in files:
                    path.unlink()
            for name in folders:
                with contextlib.suppress(OSError):
                    Path(found, name).rmdir()
            if shared:
                with contextlib.suppress(PermissionError):
                    os.chmod(found, (os.stat(found).st_mode | 0o2770) & 0o2777)

    # ---- The gradebook's file --------------------------------------------------------------

    def _file_identity(self) -> tuple[int, int] | None:
        if self._file is None:
            return None
        try:
            status = os.stat(self._file)
        except FileNotFoundError:
            return None
        return status.st_dev, status.st_ino

    def _check_identity(self) -> None:
        """SQLite would go on writing to a file that has no name any more."""
        if self._file is not None and self._file_identity() != self._identity:
            raise WriteError(
                f"The gradebook {self._file} was removed or replaced while this command ran. Put "
                "it back, then run this command again: what it does not hold is graded again."
            )


def retry_while_locked(action: Callable[[], Any], log: Callable[[str], None]) -> Any:
    """Do something with the gradebook; while another program has it locked, wait and try again.

    Raises:
        WriteError: if it stays locked, or fails in a way that does not pass.
    """
    waiting_since = None
    while True:
        try:
            return action()
        except sqlalchemy.exc.OperationalError as error:
            if not _passes(error):
                raise WriteError(_gradebook_failed(error)) from error
            now = time.monotonic()
            waiting_since = waiting_since or now
            if now - waiting_since > PatienceLimits.gradebook_seconds:
                minutes = PatienceLimits.gradebook_seconds / 60
                raise WriteError(
                    f"The gradebook was locked for {minutes:.0f} minutes: another "
                    "program writes to it. End that program, then run this command again."
                ) from error
            log("The gradebook is locked by another program; trying again …")
            time.sleep(1)
        except sqlalchemy.exc.DatabaseError as error:
            if type(error) is not sqlalchemy.exc.DatabaseError:
                raise  # about this submission's values
            raise WriteError(_gradebook_failed(error)) from error


def _database_file(db_url: str) -> str | None:
    url = sqlalchemy.make_url(db_url)
    return url.database if url.get_backend_name() == "sqlite" else None


def _passes(error: sqlalchemy.exc.OperationalError) -> bool:
    """Locks and lost connections pass; a full disk or a file that is no database does not."""
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        return "locked" in str(cause) or "busy" in str(cause)
    return error.connection_invalidated or "connect" in str(cause)


def _gradebook_failed(error: sqlalchemy.exc.DatabaseError) -> str:
    reason = str(error.orig).strip().partition("\n")[0]
    return (
        f"The gradebook cannot be written: {reason}. What was graded before is kept; "
        "mend that, then run this command again."
    )


def _replace(path: Path, content: bytes, mode: int) -> None:
    """Write a file so that it is there whole or not at all."""
    temporary = path.with_name(f".{hashlib.sha256(path.name.encode()).hexdigest()[:16]}.tmp")
    try:
        with open(temporary, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            if path.suffix == ".ipynb":
                os.fsync(stream.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
